// Unmodified @a2a-js/sdk against a devnet: node a2a.test.cjs URL_OF_BOB BINDING CALLBACK_URL
// Prints OWNER <task> when an owner's word is needed, PAY <json> when somebody has to pay.
const assert = require('node:assert');
const { createRequire } = require('node:module');
const { randomUUID } = require('node:crypto');

const load = createRequire(`${process.env.MSGCHAIN_A2A_MODULES}/index.js`);
const sdk = load('@a2a-js/sdk');
const { ClientFactory, ClientFactoryOptions, RestTransportFactory, JsonRpcTransportFactory } = load('@a2a-js/sdk/client');

const [bob, binding, callback] = process.argv.slice(2);
const EXTENSION = 'urn:msgchain:a2a:payment:v1';
const S = sdk.TaskState;

function request(text, { skill, data, configuration, ...ids } = {}) {
  return sdk.SendMessageRequest.fromJSON({
    message: {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      parts: data ? [{ data }] : [{ text }],
      metadata: skill ? { [EXTENSION]: { skill } } : undefined,
      ...ids,
    },
    configuration,
  });
}

function taskOf(result) {
  return result.payload?.value ?? result;
}

async function fails(promise, text) {
  await assert.rejects(promise, (error) => String(error.message ?? error).includes(text));
}

async function main() {
  const keys = (await (await fetch(`${bob}/.well-known/jwks.json`)).json()).keys;
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory(), new RestTransportFactory()],
    preferredTransports: [binding],
  });
  const client = await new ClientFactory(options).createFromUrl(`${bob}/.well-known/agent-card.json`, '');
  const card = await client.getAgentCard();
  await sdk.verifyAgentCardSignature(async (kid) => keys.find((key) => key.kid === kid))(card);
  await assert.rejects(
    sdk.verifyAgentCardSignature(async (kid) => keys.find((key) => key.kid === kid))({ ...card, name: 'Mallory' }),
  );

  let task = taskOf(await client.sendMessage(request('hello', { skill: 'echo' })));
  assert.equal(task.status.state, S.TASK_STATE_COMPLETED);
  assert.equal(task.artifacts[0].parts[0].content.value, 'hello');
  const got = await client.getTask(sdk.GetTaskRequest.fromJSON({ id: task.id, historyLength: 0 }));
  assert.equal(got.history.length, 0);
  const listed = await client.listTasks(sdk.ListTasksRequest.fromJSON({ contextId: task.contextId, pageSize: 1 }));
  assert.deepEqual(listed.tasks.map((one) => one.id), [task.id]);
  await fails(client.cancelTask(sdk.CancelTaskRequest.fromJSON({ id: task.id })), 'over');
  await fails(client.sendMessage(request('again', { taskId: task.id })), 'over');
  await fails(client.getTask(sdk.GetTaskRequest.fromJSON({ id: 'task-99999' })), 'not found');

  const kinds = [];
  for await (const event of client.sendMessageStream(request('hi', { skill: 'echo' }))) kinds.push(event.payload.$case);
  assert.equal(kinds[0], 'task');
  assert.deepEqual(kinds.slice(-2), ['artifactUpdate', 'statusUpdate']);

  task = taskOf(await client.sendMessage(request('hungry', { skill: 'lunch' })));
  assert.equal(task.status.state, S.TASK_STATE_INPUT_REQUIRED);
  task = taskOf(await client.sendMessage(request('soup', { taskId: task.id })));
  task = taskOf(await client.sendMessage(request('tea', { taskId: task.id, contextId: task.contextId })));
  assert.equal(task.artifacts[0].parts[0].content.value, 'soup with tea');

  task = taskOf(await client.sendMessage(request('go', { skill: 'careful' })));
  assert.equal(task.status.state, S.TASK_STATE_AUTH_REQUIRED);
  console.log(`OWNER ${task.id}`);
  let last;
  for await (const event of client.resubscribeTask(sdk.SubscribeToTaskRequest.fromJSON({ id: task.id }))) last = event;
  assert.equal(last.payload.value.status.state, S.TASK_STATE_COMPLETED);

  const taskPushNotificationConfig = { url: callback, token: 'from-js' };
  task = taskOf(
    await client.sendMessage(request('', { skill: 'chart', data: { bars: 7 }, configuration: { taskPushNotificationConfig } })),
  );
  assert.equal(task.status.state, S.TASK_STATE_INPUT_REQUIRED);
  assert.equal(task.metadata[EXTENSION].status, 'payment-required');
  console.log(`PAY ${JSON.stringify(task.status.message.parts[1].content.value)}`);
  for await (const event of client.resubscribeTask(sdk.SubscribeToTaskRequest.fromJSON({ id: task.id }))) last = event;
  assert.equal(last.payload.value.status.state, S.TASK_STATE_COMPLETED);
  task = await client.getTask(sdk.GetTaskRequest.fromJSON({ id: task.id }));
  assert.equal(task.metadata[EXTENSION].status, 'payment-released');

  task = taskOf(await client.sendMessage(request('', { skill: 'chart', data: { bars: 8 } })));
  task = await client.cancelTask(sdk.CancelTaskRequest.fromJSON({ id: task.id }));
  assert.equal(task.status.state, S.TASK_STATE_CANCELED);
  console.log('DONE');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
