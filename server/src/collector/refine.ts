// Goes on from what a probe has read: advice on indexes is tried on the server, over the same session. Guards: whatever comes of it, the
// probe's own rows are kept; what is remembered from one probe for another is the newest run alone.
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type AdviceInput, advise, type Planned, type Refused } from '../insight/advice/advise.ts';
import type { PlannerStatement } from '../insight/advice/planner.ts';
import { whyNotPlanned } from '../insight/advice/safe.ts';
import type { StatementParser } from '../kernel/parser/parser.ts';
import type { ReplyLimits } from '../monitored/connect.ts';
import type { Probe } from '../probes/types.ts';
import { type Outcome, type Row, wholeRows } from '../store/layout/types.ts';
import { runPipeline } from './pipeline.ts';
import type { Session } from './session.ts';

const REPLY: ReplyLimits = { columns: 8, rows: 10, bytes: 2 * 1024 * 1024 };
const TIMEOUT_MS = 5000;
const HYPOPG = 'hypopg';
const UNPLANNED =
  'Statements are planned over a connection to the server itself alone: there is a proxy or a pooler in between.';

/** A copy, since what is answered is a part of something larger. */
const packed = (rows: readonly Row[]) => new Uint8Array(zstdCompressSync(JSON.stringify(rows)));
const unpacked = (rows: Uint8Array): readonly Row[] => JSON.parse(String(zstdDecompressSync(rows)));

/** Rows that one probe has read of each database of a server, for another. */
export class RefineMemory {
  readonly #wanted: ReadonlySet<string>;
  /** Packed: hourly statements with their texts, which nobody asks for in between. */
  readonly #rows = new Map<string, Uint8Array>();
  readonly refused: Refused = new Map();

  constructor(probes: readonly Probe[]) {
    this.#wanted = new Set(probes.flatMap(({ refine }) => refine?.from ?? []));
  }

  remember({ name }: Probe, database: string, outcome: Outcome): void {
    if (this.#wanted.has(name) && outcome.kind === 'ran')
      this.#rows.set(`${name}\n${database}`, packed(wholeRows(outcome.rows)));
  }

  /** Undefined: it was not read. */
  rows(name: string, database: string): readonly Row[] | undefined {
    const rows = this.#rows.get(`${name}\n${database}`);
    return rows && unpacked(rows);
  }
}

export interface RefineWith {
  readonly session: Session;
  readonly parser: StatementParser;
  readonly memory: Pick<RefineMemory, 'rows' | 'refused'>;
  /** Told how long the server took. */
  readonly onTook?: (ms: number) => void;
  /** Given each plan that was made. */
  readonly onPlanned?: (planned: Planned) => void;
}

function askOver({ session, onTook }: RefineWith): AdviceInput['ask'] {
  return async (statements: readonly PlannerStatement[]) => {
    const asked = statements.map((one) => ({ ...one, timeoutMs: TIMEOUT_MS, how: REPLY }));
    const answers = await runPipeline(session, asked);
    const took = answers.reduce((sum, one) => sum + (one.kind === 'unreached' ? 0 : one.server_ms), 0);
    onTook?.(took);
    if (session.lost()) throw session.lostBy;
    return answers.map((one) => (one.kind === 'answered' ? one.rows : undefined));
  };
}

/** Its schema, where we may use it. */
function hypopgOf({ capabilities }: Session): string | undefined {
  const isOpen = capabilities.extensions.has(HYPOPG) && !capabilities.closedSchemas.has(HYPOPG);
  return isOpen ? capabilities.extensionSchemas.get(HYPOPG) : undefined;
}

/** The same, with what came of trying. Never rejects. */
export async function refined(probe: Probe, outcome: Outcome, at: RefineWith): Promise<Outcome> {
  const { session, memory, parser } = at;
  if (!probe.refine || outcome.kind !== 'ran' || outcome.rows.length === 0) return outcome;
  // What is prepared and what is imagined is of the session, which a pooler gives to applications next.
  if (session.client.way !== 'direct') return { ...outcome, note: outcome.note ?? UNPLANNED };
  const statements = memory.rows(probe.refine.from, session.database);
  if (!statements) return outcome;
  try {
    const rows = await advise({
      ask: askOver(at),
      parser,
      database: session.database,
      hypopg: hypopgOf(session),
      tables: wholeRows(outcome.rows),
      statements,
      refused: memory.refused,
      whyNotPlanned,
      onPlanned: at.onPlanned,
    });
    return { ...outcome, rows };
  } catch {
    // The session broke, which whoever uses it next is told.
    return outcome;
  }
}
