"""The study guide's example as it is printed; only endpoint_url was added.

Dummy credentials come from the environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
"""
import os

import boto3
from boto3.dynamodb.conditions import Key

# Initialize DynamoDB resource
dynamodb = boto3.resource('dynamodb', region_name='us-east-1', endpoint_url=os.environ['PKSK_ENDPOINT'])
table = dynamodb.Table('ECommerceSingleTable')


def query_customer_orders(customer_id: str, start_date: str):
    """
    Queries single-table schema for a specific customer's orders
    placed after start_date using KeyConditionExpression.
    """
    try:
        response = table.query(
            KeyConditionExpression=Key('PK').eq(f"CUST#{customer_id}") &
            Key('SK').begins_with(f"ORDER#{start_date}"),
            ConsistentRead=True  # Strongly consistent read on base table
        )
        items = response.get('Items', [])
        print(f"Retrieved {len(items)} order records for customer {customer_id}")
        return items
    except Exception as e:
        print(f"Error querying DynamoDB table: {str(e)}")
        raise e


def query_gsi_by_order_status(status: str):
    """
    Queries Global Secondary Index (GSI1) to fetch all orders by status across customers.
    """
    try:
        response = table.query(
            IndexName='GSI1-Status-Date-Index',
            KeyConditionExpression=Key('GSI1_PK').eq(f"STATUS#{status}"),
            ConsistentRead=False  # GSIs only support eventually consistent reads
        )
        return response.get('Items', [])
    except Exception as e:
        print(f"GSI Query Failed: {str(e)}")
        raise e
