/* Projections and the UPDATED_* parts of items (expressions.md §7 and §8). */
#include <criterion/criterion.h>

#include "tests/support/expr_fixture.h"
#include "tests/support/value_text.h"

static const char item[] = "{a:5, l:[1,'two',{a:7,b:8,c:9},[30,31]], "
                           "m:{x:1,y:['q'],z:{v:0,w:true}}, s:'hello', x.y:3}";

static const char *finish(struct expr_fixture *fixture, struct pk_buf *out)
{
    const char *text;

    cr_expect(pk_view_check(pk_buf_slice(out)), "not canonical");
    text = value_text_print_view(&fixture->arena, pk_buf_slice(out));
    pk_buf_release(out);
    return text;
}

static const char *project(struct expr_fixture *fixture, const char *paths, pk_view view)
{
    struct pk_projection projection = expr_fixture_projection(fixture, paths);
    struct pk_buf out = PK_BUF_INIT;

    pk_expr_project(&projection, view, &out);
    return finish(fixture, &out);
}

Test(expr_project, projections)
{
    static const struct {
        const char *paths;
        const char *result;
    } rows[] = {
        {"a", "{a:5}"},
        {"s, a", "{a:5,s:'hello'}"},
        {"zz", "{}"},
        {"zz, a", "{a:5}"},
        {"#d", "{x.y:3}"},
        {"x.y", "{}"},
        {"m", "{m:{x:1,y:['q'],z:{v:0,w:true}}}"},
        {"m.z.w", "{m:{z:{w:true}}}"},
        {"m.z.w, m.x", "{m:{x:1,z:{w:true}}}"},
        {"m.q", "{}"},
        {"m.q, m.z.q, a", "{a:5}"},
        {"m[0]", "{}"},
        {"a.b", "{}"},
        {"l.x", "{}"},
        {"l[0]", "{l:[1]}"},
        {"l[9]", "{}"},
        {"l[3][1],l[0]", "{l:[1,[31]]}"},
        {"l[2].b, l[2].a, l[0]", "{l:[1,{a:7,b:8}]}"},
        {"l[1], l[2].q, l[3][9]", "{l:['two']}"},
        {"m.y[0], m.y[1]", "{m:{y:['q']}}"},
        {"z1, z2, z3, z4, z5, z6, z7, z8, z9, s, y1, y2, y3, y4, y5, y6, y7, a", "{a:5,s:'hello'}"},
    };
    struct expr_fixture fixture;
    pk_view view;

    expr_fixture_init(&fixture, "#d=x.y", NULL);
    view = value_text_view(&fixture.arena, item);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect_str_eq(project(&fixture, rows[i].paths, view), rows[i].result, "%s: %s",
                         rows[i].paths, project(&fixture, rows[i].paths, view));
    cr_expect_str_eq(project(&fixture, "a", PK_VIEW_MISSING), "{}");
    expr_fixture_release(&fixture);
}

/* Output goes behind what the buffer holds, and containers beyond 127 bytes have longer headers. */
Test(expr_project, appends_and_grows)
{
    struct expr_fixture fixture;
    struct pk_projection projection;
    struct pk_buf text = PK_BUF_INIT;
    struct pk_buf out = PK_BUF_INIT;
    pk_view view;

    expr_fixture_init(&fixture, NULL, NULL);
    pk_buf_add_cstr(&text, "{a:{b:{c:'");
    for (int i = 0; i < 20000; i++)
        pk_buf_add_byte(&text, 'x');
    pk_buf_add_cstr(&text, "',d:1}},e:2}");
    view = value_text_view(&fixture.arena, text.data);
    projection = expr_fixture_projection(&fixture, "a.b.c, a.b.d, e, f");
    pk_buf_add_cstr(&out, "before");
    pk_expr_project(&projection, view, &out);
    cr_expect(pk_slice_starts(pk_buf_slice(&out), PK_LIT("before")));
    cr_expect(pk_slice_equal(pk_slice_skip(pk_buf_slice(&out), 6), view),
              "everything selected is the item itself");
    pk_buf_release(&text);
    pk_buf_release(&out);
    expr_fixture_release(&fixture);
}

/* Without static checks paths may overlap: the shorter wins, nothing is written twice. */
Test(expr_project, overlapping_paths)
{
    struct expr_fixture fixture;
    struct pk_projection projection;
    struct pk_buf out = PK_BUF_INIT;

    expr_fixture_init(&fixture, NULL, NULL);
    projection = expr_fixture_projection(&fixture, "m.z.w, a, s");
    projection.paths[1] = pk_path_name(&fixture.arena, PK_LIT("m"));
    projection.paths[2] = projection.paths[0];
    pk_expr_project(&projection, value_text_view(&fixture.arena, "{m:{x:1,z:{w:1}}}"), &out);
    cr_expect_str_eq(finish(&fixture, &out), "{m:{x:1,z:{w:1}}}");
    expr_fixture_release(&fixture);
}

Test(expr_project, update_targets)
{
    static const struct {
        const char *update;
        const char *result;
    } rows[] = {
        {"SET a = :n", "{a:5}"},
        {"SET zz = :n", "{}"},
        {"SET m.x = :n", "{m:{x:1}}"},
        {"SET l[1] = :n", "{l:['two']}"},
        {"SET l[100] = :n", "{}"},
        {"SET a = :n REMOVE l[3][0], m.q ADD m.z.v :n", "{a:5,l:[[30]],m:{z:{v:0}}}"},
        {"SET z1=:n,z2=:n,z3=:n,z4=:n,z5=:n,z6=:n,z7=:n,z8=:n,z9=:n,y1=:n,y2=:n,y3=:n,y4=:n,"
         "y5=:n,y6=:n,y7=:n,s=:n",
         "{s:'hello'}"},
    };
    struct expr_fixture fixture;
    pk_view view;

    expr_fixture_init(&fixture, NULL, "{n: 1}");
    view = value_text_view(&fixture.arena, item);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pk_update update = expr_fixture_update(&fixture, rows[i].update);
        struct pk_buf out = PK_BUF_INIT;

        pk_expr_project_targets(&update, view, &out);
        cr_expect_str_eq(finish(&fixture, &out), rows[i].result, "%s", rows[i].update);
    }
    expr_fixture_release(&fixture);
}
