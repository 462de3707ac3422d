// Sizes take the server long where a database or tablespace has many files, and one of them would cost the whole reading. Guards: what
// else is read comes all the same; each size is then asked for by itself, within a time of its own and of all; what the session has found
// slow is not asked again over it, since each refusal is a line in the server's log; what is missing is null, and said.
import { isSqlProbe, type Probe, type SqlProbe } from '../probes/types.ts';
import type { Verdict } from './outcomes.ts';
import { type Answer, runPipeline, type Statement } from './pipeline.ts';
import { probeReply, probeStatement } from './probe.queries.ts';
import type { Session } from './session.ts';

/** The server cancelled it for the time that it took. */
const CANCELLED = '57014';
const EACH_MS = 2000;
const ALL_MS = 15_000;
const MOST = 1000;
const ONE = { columns: 1, rows: 1, bytes: 4096 };
const IDS = { columns: 1, rows: 10_001, bytes: 1024 * 1024 };
const DIGITS = /^\d{1,20}$/;

/** By what a session has found: ids whose size took too long, of a probe whose sizes did. */
const found = new WeakMap<Session['client'], Map<string, Set<string>>>();

const unsized = (sized: NonNullable<SqlProbe['sized']>, sizes: ReadonlyMap<string, string>) => {
  const cases = [...sizes].map(([id, size]) => `when ${id} then ${size}::bigint`).join(' ');
  return sizes.size === 0 ? 'null::bigint' : `case ${sized.id}::bigint ${cases} end`;
};

function statementWith(session: Session, probe: SqlProbe, sizes: ReadonlyMap<string, string>): Statement {
  const sized = probe.sized;
  if (!sized) throw new Error(`${probe.name} has no sizes`);
  const text = probeStatement(probe, session.capabilities, (offered) =>
    sized.sql(offered, unsized(sized, sizes)),
  );
  return { text, timeoutMs: probe.caps.timeoutMs, how: { ...probeReply(probe), isRaw: true } };
}

/** What is sent at once where sizes are known to take too long; undefined: the probe's own statement. */
export const withoutSizes = (probe: SqlProbe, session: Session): Statement | undefined =>
  found.get(session.client)?.has(probe.name) ? statementWith(session, probe, new Map()) : undefined;

export interface Sized {
  readonly answer: Answer;
  /** The same verdict, which says what is missing. */
  marked(verdict: Verdict): Verdict;
}

export interface Limits {
  readonly eachMs: number;
  readonly allMs: number;
}

/** One size after the other; answers how many are unknown, and whether the server said whose there are. */
async function readSizes(
  session: Session,
  { list, one }: NonNullable<SqlProbe['sized']>,
  { slow, sizes, eachMs, allMs }: Limits & { slow: Set<string>; sizes: Map<string, string> },
): Promise<{ unknown: number; isListed: boolean; took: { took_ms: number; server_ms: number } }> {
  const took = { took_ms: 0, server_ms: 0 };
  const ask = async (statement: Statement) => {
    const [answer] = await runPipeline(session, [statement]);
    if (answer && answer.kind !== 'unreached') {
      took.took_ms += answer.took_ms;
      took.server_ms += answer.server_ms;
    }
    return answer;
  };
  const listed = await ask({ text: list, how: IDS });
  const rows = listed?.kind === 'answered' ? listed.rows : [];
  let unknown = 0;
  for (const { id } of rows) {
    const own = String(id);
    const isAsked =
      sizes.size < MOST && DIGITS.test(own) && !slow.has(own) && took.took_ms < allMs && !session.lost();
    const answer = isAsked ? await ask({ text: one, values: [own], timeoutMs: eachMs, how: ONE }) : undefined;
    const size = answer?.kind === 'answered' ? answer.rows[0]?.size : undefined;
    if (answer?.kind === 'refused' && answer.error.code === CANCELLED) slow.add(own);
    if (typeof size === 'string' && DIGITS.test(size)) sizes.set(own, size);
    else if (answer?.kind !== 'answered') unknown += 1;
  }
  return { unknown, isListed: listed?.kind === 'answered', took };
}

/** The answer, or what is answered instead where sizes took too long. */
export async function answerWithSizes(
  session: Session,
  { probe, answer }: { probe: Probe; answer: Answer },
  { eachMs, allMs }: Limits = { eachMs: EACH_MS, allMs: ALL_MS },
): Promise<Sized> {
  const same = { answer, marked: (verdict: Verdict) => verdict };
  if (!isSqlProbe(probe) || !probe.sized) return same;
  const own = found.get(session.client) ?? new Map<string, Set<string>>();
  const isSlow = answer.kind === 'refused' && !answer.broke && answer.error.code === CANCELLED;
  if (!isSlow && !(own.has(probe.name) && answer.kind === 'answered')) return same;
  const slow = own.get(probe.name) ?? new Set<string>();
  found.set(session.client, own.set(probe.name, slow));
  const sizes = new Map<string, string>();
  const { unknown, isListed, took } = await readSizes(session, probe.sized, { slow, sizes, eachMs, allMs });
  const [last] = await runPipeline(session, [statementWith(session, probe, sizes)]);
  if (last?.kind !== 'answered') return same;
  const marked = (verdict: Verdict): Verdict => {
    const { outcome } = verdict;
    if (outcome?.kind !== 'ran' || (unknown === 0 && isListed)) return verdict;
    const note = isListed
      ? `${unknown} of ${unknown + sizes.size} sizes took too long to read and are unknown: ${eachMs / 1000} s each, ${allMs / 1000} s together.`
      : 'All sizes are unknown: they took too long to read together, and the server refused the list by which each is read alone.';
    const all = outcome.note === undefined ? note : `${note}\n${outcome.note}`;
    return { ...verdict, outcome: { ...outcome, cause: outcome.cause ?? 'incomplete', note: all } };
  };
  const times = { took_ms: last.took_ms + took.took_ms, server_ms: last.server_ms + took.server_ms };
  return { answer: { ...last, ...times }, marked };
}
