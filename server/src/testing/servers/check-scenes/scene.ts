// Servers brought into the state that a check finds, for the proof of checks: how the state is made, what has to be found, and that
// the remedy which the product shows mends it. Guards: a scene leaves nothing behind, so that one server serves all of them.
import type { CheckName } from '../../../insight/checks/catalog.gen.ts';
import type { Problem } from '../../../insight/checks/types.ts';
import type { Readings } from '../judging.ts';
import type { TestCluster } from '../postgres.ts';
import type { As } from '../probing.ts';

export interface CheckRoom {
  primary: TestCluster;
  /** A streaming standby of it, in rooms that have one. */
  standby?: TestCluster;
  /** Starts the primary or that server anew, and what reads it follows. */
  restart(server?: TestCluster): Promise<void>;
}

export interface CheckScene {
  check: CheckName;
  /** What is special about it, where a check has several. */
  title?: string;
  /** Starts servers anew, makes much data or waits for seconds: played in the proof alone. So is whatever a restart remedies. */
  isDear?: boolean;
  /** Waits for a minute: played on a server of its own while the others are. */
  isBeside?: boolean;
  /** The server that is judged; the primary when absent. */
  on?: 'standby';
  /** Judged by what this role may read, which the scene makes first; the superuser when absent. */
  as?(room: CheckRoom): Promise<As>;
  /** Versions that know such a thing. */
  from?: number;
  to?: number;
  /** Judged as if it were so many milliseconds later. */
  later?: number;
  /** How it was when it was read before: what checks that compare two readings go by. */
  before?(room: CheckRoom): Promise<unknown>;
  /** Brings the server into the state; answers what takes back the rest of it after the remedy. */
  make(room: CheckRoom): Promise<(() => Promise<unknown>) | undefined>;
  /** The one that the scene made, among those that are found. */
  isIt(found: Problem): boolean;
  /** What it has to say, beyond that it is there: expectations that fail on a wrong figure. */
  expect(found: Problem, room: CheckRoom): Promise<void> | void;
  /**
   * How the remedy is applied; the statements of it are run as they are shown when absent. `restart`: and the server is started
   * anew. A function does what the remedy says where that is no SQL.
   */
  remedy?: 'restart' | ((found: Problem, room: CheckRoom) => Promise<unknown>);
  /** Rows changed as another server would have them, where a real one cannot be brought there in a test. */
  feed?(readings: Readings): void;
  /** What is fed is so after the remedy too, which has to mend it all the same. */
  feedStays?: true;
}

/** Changes the cells of the rows that a probe has read. */
export function change(
  { readings }: Readings,
  probe: string,
  how: (row: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): void {
  const all = readings.get(probe) ?? [];
  readings.set(
    probe,
    all.map((reading) => ({ ...reading, rows: reading.rows.map((row) => ({ ...row, ...how(row) })) })),
  );
}

/** One after the other, each in a transaction of its own. */
export async function run(server: TestCluster, ...statements: readonly string[]): Promise<void> {
  for (const one of statements) await server.query(one);
}

/** The statements of a remedy: what ends with a semicolon at the end of a line; lines of comment alone are left out. */
export const statementsOf = (remedy: string): string[] =>
  remedy
    .split('\n')
    .filter((line) => !line.startsWith('--'))
    .join('\n')
    .split(/;\s*(?:\n|$)/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
