import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { portProblem, wantedPlace } from './port.mjs';

it.each([
  [[], {}, { host: '127.0.0.1', port: 8080 }],
  [['--port', '9000'], { MATRIARCH_PORT: '1' }, { host: '127.0.0.1', port: 9000 }],
  [['--port=9000', '--host=0.0.0.0'], {}, { host: '0.0.0.0', port: 9000 }],
  [[], { MATRIARCH_PORT: '9001', MATRIARCH_HOST: '::1' }, { host: '::1', port: 9001 }],
  [['--config', 'a.yaml', '--port', '9000'], {}, { host: '127.0.0.1', port: 9000 }],
  [['--config', 'a.yaml'], {}, undefined],
  [['--port', '0'], {}, undefined],
  [['--port', 'many'], {}, undefined],
  [['--roles', 'collector'], {}, undefined],
  [['--help'], {}, undefined],
])('%j with %j listens at %j', (args, env, place) => {
  expect(wantedPlace({ args, env })).toEqual(place);
});

it('a port that another program has is found, and a free one is not complained of', async () => {
  const other = createServer();
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address();
  const given = { args: ['--port', String(port)], env: {} };
  expect(await portProblem(given)).toBe(
    `Port ${port} on 127.0.0.1 is taken by another program. Choose another with npm start -- --port, or 0 for any.`,
  );
  await new Promise((resolve) => other.close(resolve));
  expect(await portProblem(given)).toBeUndefined();
});
