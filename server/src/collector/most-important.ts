// A database with more objects than a probe keeps: what the plain statement told is cut anywhere, so it is asked once more for those that
// matter most, and from then on for these at once. Guards: a database with fewer is never asked for that.
import type { SqlProbe } from '../probes/types.ts';
import { type Answer, runPipeline, type Statement } from './pipeline.ts';
import { probeReply, probeStatement } from './probe.queries.ts';
import type { Session } from './session.ts';

/** The statement for those that matter most; undefined where the probe has none. */
export function mostImportant(probe: SqlProbe, { capabilities }: Session): Statement | undefined {
  if (!probe.mostImportant) return undefined;
  const text = probeStatement(probe, capabilities, probe.mostImportant);
  return { text, timeoutMs: probe.caps.timeoutMs, how: { ...probeReply(probe), isRaw: true } };
}

/** Answers as many rows as are kept, or more. */
export const isMany = ({ caps }: SqlProbe, answer: Answer): boolean =>
  answer.kind === 'answered' && answer.rows.length >= caps.maxRows;

/** The answer, or what is answered instead where it was cut. */
export async function answerOfMostImportant(
  session: Session,
  probe: SqlProbe,
  answer: Answer,
): Promise<Answer> {
  const isCut = answer.kind === 'answered' && answer.rows.length > probe.caps.maxRows;
  const statement = isCut ? mostImportant(probe, session) : undefined;
  if (!statement) return answer;
  const [again = answer] = await runPipeline(session, [statement]);
  return again;
}
