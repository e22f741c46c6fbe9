"""Which function answers which question."""

from chain.std import QueryHandler
from contracts.agent_a2a_v1.query_agent import (
    query_find_agents_by_capability,
    query_get_config,
    query_get_intent,
    query_has_capability,
    query_list_capabilities,
    query_list_intents,
)
from contracts.agent_a2a_v1.query_channel import (
    query_get_channel,
    query_list_channels,
    query_list_channels_of,
    query_list_subscriptions,
)
from contracts.agent_a2a_v1.query_message import (
    query_count_pending_messages,
    query_get_message,
    query_get_message_status,
    query_list_channel_messages,
    query_list_conversation,
    query_list_messages,
    query_list_sent_messages,
    query_list_thread,
    query_list_topic_messages,
    query_rate_limit_status,
    query_verify_message,
)

QUERIES: dict[str, QueryHandler] = {
    "get_message": query_get_message,
    "get_message_status": query_get_message_status,
    "list_messages": query_list_messages,
    "list_sent_messages": query_list_sent_messages,
    "list_conversation": query_list_conversation,
    "list_channel_messages": query_list_channel_messages,
    "list_thread": query_list_thread,
    "list_topic_messages": query_list_topic_messages,
    "count_pending_messages": query_count_pending_messages,
    "get_channel": query_get_channel,
    "list_channels": query_list_channels,
    "list_channels_of": query_list_channels_of,
    "list_subscriptions": query_list_subscriptions,
    "list_capabilities": query_list_capabilities,
    "has_capability": query_has_capability,
    "find_agents_by_capability": query_find_agents_by_capability,
    "get_intent": query_get_intent,
    "list_intents": query_list_intents,
    "verify_message": query_verify_message,
    "rate_limit_status": query_rate_limit_status,
    "get_config": query_get_config,
}
