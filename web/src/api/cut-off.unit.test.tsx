// What is said where no answer came, or not all of it: a change may have been made all the same.
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { call } from './client.ts';

/** A connection that ends so; `undefined`: before any answer. */
async function cutOff(answer: { status: number; head: string; text: string } | undefined) {
  const server = createServer((_request, response) => {
    if (answer) {
      response.writeHead(answer.status, { 'content-type': answer.head, 'content-length': '1000' });
      response.write(answer.text, () => response.destroy());
    } else response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const real = globalThis.fetch;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  globalThis.fetch = (path, options) => real(`http://127.0.0.1:${port}${String(path)}`, options);
  onTestFinished(() => {
    globalThis.fetch = real;
    server.close();
  });
}

const failure = (deed: Promise<unknown>) => deed.catch((error: unknown) => error);
const MAY_BE_MADE =
  'Matriarch does not answer, so the change may or may not have been made. Open this page in a new tab to see; what you typed stays here.';

it.each([undefined, { status: 200, head: 'application/json', text: '{"id":' }])(
  'says of a change without an answer that it may have been made, and not of what only looks',
  async (answer) => {
    await cutOff(answer);
    const group = { name: 'On call', description: '' };
    expect(await failure(call('createGroup', { body: group }))).toMatchObject({
      status: 0,
      message: MAY_BE_MADE,
    });
    const reading = {
      status: 0,
      message: 'Matriarch does not answer. It may be restarting, or the network is down.',
    };
    expect(await failure(call('getEstate', {}))).toMatchObject(reading);
    const login = { username: 'anna', password: 'x' };
    expect(await failure(call('login', { body: login }))).toMatchObject(reading);
  },
);

it('says so too where something between answered in its place', async () => {
  await cutOff({ status: 504, head: 'text/html', text: '<p>Gateway timeout' });
  const body = { name: 'On call', description: '' };
  expect(await failure(call('createGroup', { body }))).toMatchObject({
    status: 504,
    message: expect.stringMatching(
      /^The server answered with status 504, so the change may or may not have been made\. /,
    ),
  });
  expect(await failure(call('getEstate', {}))).toMatchObject({
    message: 'The server answered with status 504.',
  });
});
