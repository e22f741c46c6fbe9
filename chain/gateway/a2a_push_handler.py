"""A2A's operations on push notifications, for one agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.request_handler import validate_request_params
from a2a.types import (
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse,
    SendMessageConfiguration,
    TaskPushNotificationConfig,
)
from a2a.utils.errors import (
    InvalidParamsError,
    PushNotificationNotSupportedError,
    TaskNotFoundError,
)
from google.protobuf.json_format import ParseDict

from chain.gateway.a2a_callers import Caller, caller_of
from chain.gateway.a2a_cards import ServedCard
from chain.gateway.a2a_faults import faults
from chain.gateway.a2a_journal import Record, entries_of
from chain.gateway.a2a_push import CONFIGS_MAX, CallbackRefused, Kept, NoAddress, resolve

if TYPE_CHECKING:
    from chain.gateway.a2a_gate import Gate


class PushOperations:
    """The half of a handler that keeps callbacks."""

    core: Gate
    agent_id: str
    card: ServedCard

    async def own_record(self, task_id: str, caller: Caller) -> Record:
        """A task of the caller's with this agent. Raises: TaskNotFoundError."""
        raise NotImplementedError

    async def check_push(self, configuration: SendMessageConfiguration) -> None:
        """Refuse a callback before anything is written. Raises: InvalidParamsError."""
        if configuration.HasField("task_push_notification_config"):
            self._check_declared()
            await self._check_url(configuration.task_push_notification_config.url)

    async def keep_push(
        self, configuration: SendMessageConfiguration, task_id: str, caller: Caller
    ) -> None:
        """Keep the callback that came with a message."""
        if configuration.HasField("task_push_notification_config"):
            config = TaskPushNotificationConfig()
            config.CopyFrom(configuration.task_push_notification_config)
            config.task_id = task_id
            self._add(config, caller, [])

    def _check_declared(self) -> None:
        if not self.card.proto.capabilities.push_notifications:
            raise PushNotificationNotSupportedError("the agent declares no push notifications")

    async def _check_url(self, url: str) -> None:
        try:
            await resolve(url, private=self.core.settings.private_callbacks)
        except NoAddress:
            return  # looked at again before each call
        except CallbackRefused as error:
            raise InvalidParamsError(f"push notification URL: {error}") from None

    def _add(self, config: TaskPushNotificationConfig, caller: Caller, done: list[str]) -> Kept:
        kept = self.core.pusher.store.of(caller.address, config.task_id)
        if len(kept) >= CONFIGS_MAX and all(one.config["id"] != config.id for one in kept):
            raise InvalidParamsError(f"a task has at most {CONFIGS_MAX} push notification URLs")
        return self.core.pusher.add(caller.address, self.agent_id, config, done)

    @validate_request_params
    async def on_create_task_push_notification_config(
        self, params: TaskPushNotificationConfig, context: ServerCallContext
    ) -> TaskPushNotificationConfig:
        """Keep a callback for a task."""
        with faults():
            self._check_declared()
            record = await self.own_record(params.task_id, caller_of(context))
            await self._check_url(params.url)
            done = [entry.id for entry in entries_of(record)]
            config = TaskPushNotificationConfig()
            config.CopyFrom(params)
            return _shown(self._add(config, caller_of(context), done))

    @validate_request_params
    async def on_get_task_push_notification_config(
        self, params: GetTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> TaskPushNotificationConfig:
        """One callback of a task."""
        with faults():
            self._check_declared()
            await self.own_record(params.task_id, caller_of(context))
            for kept in self._of(params.task_id, context):
                if kept.config.get("id") == params.id:
                    return _shown(kept)
            raise TaskNotFoundError(f"task {params.task_id} has no such push notification config")

    @validate_request_params
    async def on_list_task_push_notification_configs(
        self, params: ListTaskPushNotificationConfigsRequest, context: ServerCallContext
    ) -> ListTaskPushNotificationConfigsResponse:
        """The callbacks of a task."""
        with faults():
            self._check_declared()
            await self.own_record(params.task_id, caller_of(context))
            found = [_shown(kept) for kept in self._of(params.task_id, context)]
            return ListTaskPushNotificationConfigsResponse(configs=found)

    @validate_request_params
    async def on_delete_task_push_notification_config(
        self, params: DeleteTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> None:
        """Forget a callback; again is no error."""
        with faults():
            self._check_declared()
            await self.own_record(params.task_id, caller_of(context))
            for kept in self._of(params.task_id, context):
                if kept.config.get("id") == params.id:
                    self.core.pusher.remove(kept)

    def _of(self, task_id: str, context: ServerCallContext) -> list[Kept]:
        return self.core.pusher.store.of(caller_of(context).address, task_id)


def _shown(kept: Kept) -> TaskPushNotificationConfig:
    config: dict[str, Any] = dict(kept.config)
    return ParseDict(config, TaskPushNotificationConfig())
