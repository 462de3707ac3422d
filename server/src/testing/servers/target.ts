// What tests of connections share: settings for a server of a test, and the error that a connection ended with.
import { Secret } from '../../kernel/secret.ts';
import {
  connectTarget,
  type TargetClient,
  TargetError,
  type TargetSettings,
} from '../../monitored/connect.ts';

export interface Reachable {
  host: string;
  port: number;
  superuser: string;
  password: string;
}

export function testSettings(server: Reachable, over: Partial<TargetSettings> = {}): TargetSettings {
  return {
    host: server.host,
    port: server.port,
    database: 'postgres',
    username: server.superuser,
    password: new Secret(server.password),
    ssl_mode: 'prefer',
    application_name: 'matriarch test',
    connect_timeout_ms: 5000,
    statement_timeout_ms: 5000,
    allow_private_networks: true,
    ...over,
  };
}

/** Sessions of a file of tests; after each test, `end` destroys what it left open. */
export class TestSessions {
  readonly open: TargetClient[] = [];

  readonly connect = async (settings: TargetSettings): Promise<TargetClient> => {
    const client = await connectTarget(settings);
    this.open.push(client);
    return client;
  };

  readonly end = (): void => {
    for (const client of this.open.splice(0)) client.destroy();
  };
}

/** The TargetError that some work rejects with; anything else fails the test. */
export async function targetFailure(work: Promise<unknown>): Promise<TargetError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof TargetError) return error;
  throw new Error(`expected a TargetError, got ${String(error)}`);
}
