/* CloudFormation, SAM and Serverless Framework definitions; and templates written. */
#include <criterion/criterion.h>

#include "tests/support/transfer_fixture.h"

static const struct fixture_case cases[] = {
    /* the parts that public templates use: dashes on their own line, short forms, comments */
    {FILE_OF("a.yml",
             "AWSTemplateFormatVersion: '2010-09-09' # comment\n"
             "Parameters:\n"
             "  Stage: {Type: String, Default: prod}\n"
             "  Units: {Type: Number, Default: 7}\n"
             "Mappings:\n"
             "  Names:\n"
             "    prod: {Table: mapped}\n"
             "Conditions:\n"
             "  IsProd: !Equals [!Ref Stage, prod]\n"
             "Resources:\n"
             "  Other:\n"
             "    Type: AWS::S3::Bucket\n"
             "  Orders:\n"
             "    Type: AWS::DynamoDB::Table\n"
             "    Properties:\n"
             "      TableName: !Sub '${Stage}-orders.${AWS::Region}'\n"
             "      AttributeDefinitions:\n"
             "      -\n"
             "        AttributeName: \"PK\"\n"
             "        AttributeType: S\n"
             "      - {AttributeName: SK, AttributeType: N}\n"
             "      - {AttributeType: S, AttributeName: G}\n"
             "      KeySchema:\n"
             "        - KeyType: HASH\n"
             "          AttributeName: PK\n"
             "        - AttributeName: SK\n"
             "          KeyType: RANGE\n"
             "      ProvisionedThroughput:\n"
             "        ReadCapacityUnits: !If [IsProd, !Ref Units, 1]\n"
             "        WriteCapacityUnits: 3\n"
             "      GlobalSecondaryIndexes:\n"
             "        - IndexName: byG\n"
             "          KeySchema: [{AttributeName: G, KeyType: HASH}]\n"
             "          Projection:\n"
             "            ProjectionType: INCLUDE\n"
             "            NonKeyAttributes: [x, y]\n"
             "          ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 2}\n"
             "      StreamSpecification:\n"
             "        StreamViewType: KEYS_ONLY\n"
             "      DeletionProtectionEnabled: True\n"
             "      TimeToLiveSpecification: {AttributeName: ttl, Enabled: true}\n"
             "  Mapped:\n"
             "    Type: AWS::DynamoDB::Table\n"
             "    Properties:\n"
             "      TableName: !FindInMap [Names, !Ref Stage, Table]\n"
             "      BillingMode: !If [IsProd, PAY_PER_REQUEST, PROVISIONED]\n"
             "      AttributeDefinitions: [{AttributeName: id, AttributeType: B}]\n"
             "      KeySchema: [{AttributeName: id, KeyType: HASH}]\n"
             "      Tags:\n"
             "        - Key: see\n"
             "          Value: !Join ['/', [a, !Ref Orders]]\n"),
     "import @/a.yml",
     "note: table mapped created: 0 items, 0 B\n"
     "note: table prod-orders.us-east-1 created: 0 items, 0 B\n"
     "note: table 'prod-orders.us-east-1': left out: TimeToLiveSpecification\n"},
    {NO_FILE, "show create table prod-orders.us-east-1",
     "create table prod-orders.us-east-1 (PK S, SK N) provisioned 7 3 stream keys_only protect\n"
     "  gsi byG (G S) projection include (x, y) provisioned 1 2;\n"},
    {NO_FILE, "show create table mapped",
     "create table mapped (id B) on demand;\nalter table mapped tag 'see' = "
     "'a/prod-orders.us-east-1';\n"},
    /* JSON, a table without a name, what cannot be resolved */
    {FILE_OF(
         "b.json",
         "{\"Resources\":{\"Logical\":{\"Type\":\"AWS::DynamoDB::Table\",\"Properties\":{"
         "\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":[{\"AttributeName\":\"id\","
         "\"AttributeType\":\"S\"}],\"KeySchema\":[{\"AttributeName\":\"id\",\"KeyType\":\"HASH\"}"
         "],\"Tags\":[{\"Key\":\"k\",\"Value\":{\"Fn::GetAtt\":[\"Else\",\"Arn\"]}}]}}}}"),
     "import @/b.json",
     "note: table Logical created: 0 items, 0 B\n"
     "note: 'Else.Arn' cannot be resolved from the file alone; a placeholder stands for it\n"},
    {NO_FILE, "show create table Logical",
     "create table Logical (id S) on demand;\nalter table Logical tag 'k' = 'Else_Arn';\n"},
    /* SAM's table, a global table, the Serverless Framework */
    {FILE_OF("c.yaml",
             "Resources:\n"
             "  Simple: {Type: 'AWS::Serverless::SimpleTable'}\n"
             "  Typed:\n"
             "    Type: AWS::Serverless::SimpleTable\n"
             "    Properties:\n"
             "      PrimaryKey: {Name: num, Type: Number}\n"
             "      ProvisionedThroughput: {ReadCapacityUnits: 2, WriteCapacityUnits: 1}\n"),
     "import @/c.yaml",
     "note: table Simple created: 0 items, 0 B\n"
     "note: table Typed created: 0 items, 0 B\n"},
    {NO_FILE, "show create table Simple", "create table Simple (id S) on demand;\n"},
    {NO_FILE, "show create table Typed", "create table Typed (num N) provisioned 2 1;\n"},
    {FILE_OF("d.yml", "Resources:\n"
                      "  Global:\n"
                      "    Type: AWS::DynamoDB::GlobalTable\n"
                      "    Properties:\n"
                      "      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]\n"
                      "      KeySchema: [{AttributeName: id, KeyType: HASH}]\n"
                      "      WriteProvisionedThroughputSettings:\n"
                      "        WriteCapacityAutoScalingSettings: {MinCapacity: 4, MaxCapacity: 9}\n"
                      "      Replicas:\n"
                      "        - Region: us-east-1\n"
                      "          ReadProvisionedThroughputSettings: {ReadCapacityUnits: 6}\n"
                      "        - Region: eu-west-1\n"),
     "import @/d.yml",
     "note: table Global created: 0 items, 0 B\n"
     "note: a global table of 2 replicas: one table is made, for one region\n"},
    {NO_FILE, "show create table Global", "create table Global (id S) provisioned 6 4;\n"},
    {FILE_OF("serverless.yml",
             "service: shop\n"
             "provider:\n"
             "  stage: ${opt:stage, 'dev'}\n"
             "custom:\n"
             "  name: ${self:service}-${self:provider.stage}\n"
             "resources:\n"
             "  Resources:\n"
             "    T:\n"
             "      Type: AWS::DynamoDB::Table\n"
             "      Properties:\n"
             "        TableName: ${self:custom.name}-${env:WHO}\n"
             "        BillingMode: PAY_PER_REQUEST\n"
             "        AttributeDefinitions: [{AttributeName: id, AttributeType: S}]\n"
             "        KeySchema: [{AttributeName: id, KeyType: HASH}]\n"),
     "import @/serverless.yml",
     "note: table shop-dev-env_WHO created: 0 items, 0 B\n"
     "note: 'env:WHO' cannot be resolved from the file alone; a placeholder stands for it\n"},
    /* mistakes */
    {FILE_OF("e.yml", "Resources:\n  A: {Type: AWS::S3::Bucket}\n"), "import @/e.yml",
     "UsageError: @/e.yml: there is no DynamoDB table in this template\n"},
    {FILE_OF("f.yml", "Resources:\n  A: [1, 2\n"), "import @/f.yml",
     "UsageError: @/f.yml:3:1: did not find expected ',' or ']'\n"},
    {FILE_OF("g.yml", "Resources:\n  é: 1\n  é: 2\n"), "import @/g.yml",
     "UsageError: @/g.yml:3:3: this name is there twice\n"},
    {FILE_OF("h.yml", "Resources:\n  A:\n    Type: AWS::DynamoDB::Table\n    Properties: {}\n"),
     "import @/h.yml", "UsageError: @/h.yml: table 'A' has no KeySchema\n"},
    {FILE_OF("i.yml", "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
                      "b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
                      "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
                      "d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
                      "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n"
                      "f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]\n"),
     "import @/i.yml", "UsageError: @/i.yml:6:20: too many aliases\n"},
    {FILE_OF("round.yml", "Resources:\n"
                          "  A: &t\n"
                          "    Type: AWS::DynamoDB::Table\n"
                          "    Properties:\n"
                          "      TableName: !Ref B\n"
                          "      KeySchema: [{AttributeName: id, KeyType: HASH}]\n"
                          "      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]\n"
                          "  B:\n"
                          "    Type: AWS::DynamoDB::Table\n"
                          "    Properties:\n"
                          "      TableName: !Sub '${A}${A}'\n"
                          "      KeySchema: [{AttributeName: id, KeyType: HASH}]\n"
                          "      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]\n"),
     "import @/round.yml dry run",
     "note: table circular_reference would be created: 0 items, 0 B\n"
     "note: 'circular reference' cannot be resolved from the file alone; a placeholder stands for "
     "it\n"
     "note: 'circular_reference' cannot be resolved from the file alone; a placeholder stands for "
     "it\n"
     "note: dry run: nothing was changed\n"},
};

Test(transfer_cfn, templates)
{
    fixture_cases(cases, sizeof(cases) / sizeof(*cases));
}

static const char written[] = "AWSTemplateFormatVersion: \"2010-09-09\"\n"
                              "Resources:\n"
                              "  mytable:\n"
                              "    Type: AWS::DynamoDB::Table\n"
                              "    Properties:\n"
                              "      TableName: my-table\n"
                              "      AttributeDefinitions:\n"
                              "        - AttributeName: PK\n"
                              "          AttributeType: S\n"
                              "        - AttributeName: \"1\"\n"
                              "          AttributeType: \"N\"\n"
                              "        - AttributeName: at\n"
                              "          AttributeType: S\n"
                              "        - AttributeName: \"State#Date\"\n"
                              "          AttributeType: S\n"
                              "      KeySchema:\n"
                              "        - AttributeName: PK\n"
                              "          KeyType: HASH\n"
                              "        - AttributeName: \"1\"\n"
                              "          KeyType: RANGE\n"
                              "      BillingMode: PROVISIONED\n"
                              "      ProvisionedThroughput:\n"
                              "        ReadCapacityUnits: 5\n"
                              "        WriteCapacityUnits: 6\n"
                              "      LocalSecondaryIndexes:\n"
                              "        - IndexName: loc\n"
                              "          KeySchema:\n"
                              "            - AttributeName: PK\n"
                              "              KeyType: HASH\n"
                              "            - AttributeName: at\n"
                              "              KeyType: RANGE\n"
                              "          Projection:\n"
                              "            ProjectionType: KEYS_ONLY\n"
                              "      GlobalSecondaryIndexes:\n"
                              "        - IndexName: glob\n"
                              "          KeySchema:\n"
                              "            - AttributeName: \"State#Date\"\n"
                              "              KeyType: HASH\n"
                              "          Projection:\n"
                              "            ProjectionType: INCLUDE\n"
                              "            NonKeyAttributes:\n"
                              "              - \"yes\"\n"
                              "              - b\n"
                              "          ProvisionedThroughput:\n"
                              "            ReadCapacityUnits: 1\n"
                              "            WriteCapacityUnits: 2\n"
                              "      DeletionProtectionEnabled: true\n"
                              "  Two:\n"
                              "    Type: AWS::DynamoDB::Table\n"
                              "    Properties:\n"
                              "      TableName: Two\n"
                              "      AttributeDefinitions:\n"
                              "        - AttributeName: id\n"
                              "          AttributeType: B\n"
                              "      KeySchema:\n"
                              "        - AttributeName: id\n"
                              "          KeyType: HASH\n"
                              "      BillingMode: PAY_PER_REQUEST\n";

Test(transfer_cfn, written_templates_read_back)
{
    struct transfer_fixture fx;
    struct pk_buf file;

    fixture_open(&fx);
    fixture_must(&fx, "create table my-table (PK S, `1` N) provisioned 5 6 protect lsi loc (at S) "
                      "projection keys gsi glob (`State#Date` S) projection include (`yes`, b) "
                      "provisioned 1 2");
    fixture_must(&fx, "create table Two (id B)");
    cr_expect_str_eq(fixture_run(&fx, "export my-table,Two @/out.yml"),
                     "note: @/out.yml: 2 table definitions\n"
                     "note: a template holds the definition, not the items\n");
    file = fixture_read(&fx, "out.yml");
    cr_expect_str_eq(file.data, written, "%s", file.data);
    pk_buf_release(&file);
    fixture_must(&fx, "export my-table @/out.json format cloudformation");
    fixture_must(&fx, "import @/out.json as Copy");
    cr_expect_str_eq(fixture_run(&fx, "show create table Copy"),
                     "create table Copy (PK S, 1 N) provisioned 5 6 protect\n"
                     "  lsi loc (at S) projection keys\n"
                     "  gsi glob (State#Date S) projection include (yes, b) provisioned 1 2;\n");
    fixture_close(&fx);
}

Test(transfer_cfn, endless_templates_are_refused)
{
    struct transfer_fixture fx;
    size_t len = 17 << 20;
    char *text = pk_malloc(len);

    memset(text, '\n', len);
    memcpy(text, "Resources:", 10);
    fixture_open(&fx);
    fixture_write(&fx, "a.yaml", pk_slice_of(text, len));
    cr_expect_str_eq(fixture_run(&fx, "import @/a.yaml"),
                     "UsageError: @/a.yaml:16777207:1: a template has at most 16 MB\n");
    free(text);
    fixture_close(&fx);
}
