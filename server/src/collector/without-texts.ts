// Statements whose texts a server does not return, since one of them is no text to the database that we ask in: pg_stat_statements
// gives all of them or none. Guards: what is counted is read all the same, once more without texts, and it is said what mends it.
import { isForeignText } from '../monitored/foreign-text.ts';
import { isSqlProbe, type Probe } from '../probes/types.ts';
import type { Verdict } from './outcomes.ts';
import { type Answer, runPipeline } from './pipeline.ts';
import { probeReply, probeStatement } from './probe.queries.ts';
import type { Session } from './session.ts';

const FOREIGN_TEXTS =
  'The server returns no text of any statement, since one of them is not in the encoding of this database, as statements of databases in SQL_ASCII can be.';
const MEND = `-- Forgets what was counted in databases without an encoding, and so the text that prevents the reading.
select pg_stat_statements_reset(0, d.oid, 0) from pg_database d where pg_encoding_to_char(d.encoding) = 'SQL_ASCII';`;

export interface CheckedAnswer {
  readonly answer: Answer;
  /** The same verdict, which says that texts are missing. */
  marked(verdict: Verdict): Verdict;
}

export async function answerOrWithoutTexts(
  session: Session,
  probe: Probe,
  answer: Answer,
): Promise<CheckedAnswer> {
  const isForeign = answer.kind === 'refused' && !answer.broke && isForeignText(answer.error.code);
  if (!isForeign || !isSqlProbe(probe) || !probe.withoutTexts)
    return { answer, marked: (verdict) => verdict };
  const text = probeStatement(probe, session.capabilities, probe.withoutTexts);
  const how = { ...probeReply(probe), isRaw: true };
  const [again = answer] = await runPipeline(session, [{ text, timeoutMs: probe.caps.timeoutMs, how }]);
  const marked = (verdict: Verdict): Verdict => {
    const { outcome } = verdict;
    if (outcome?.kind !== 'ran') return verdict;
    const note = outcome.note === undefined ? FOREIGN_TEXTS : `${FOREIGN_TEXTS}\n${outcome.note}`;
    const mend = outcome.mend ? `${MEND}\n\n${outcome.mend}` : MEND;
    return { ...verdict, outcome: { ...outcome, cause: outcome.cause ?? 'incomplete', note, mend } };
  };
  return { answer: again, marked };
}
