// Statements whose texts a server does not return, since one of them is no text to the database that we ask in: pg_stat_statements
// gives all of them or none. Guards: what is counted is read all the same, once more without texts, and it is said what mends it.
import { type ForeignText, foreignTextOf } from '../monitored/foreign-text.ts';
import { isSqlProbe, type Probe } from '../probes/types.ts';
import type { Verdict } from './outcomes.ts';
import { type Answer, runPipeline } from './pipeline.ts';
import { probeReply, probeStatement } from './probe.queries.ts';
import type { Session } from './session.ts';

const NO_TEXTS = 'The server returns no text of any statement, since one of them';
const reset = (of: string, where: string) =>
  `-- Forgets what was counted in ${of}, and so the text that prevents the reading.
select pg_stat_statements_reset(0, d.oid, 0) from pg_database d where ${where};`;

/** What prevents the texts, and what fixes it. */
const FOREIGN: Readonly<Record<ForeignText, { readonly note: string; readonly mend: string }>> = {
  '22021': {
    note: `${NO_TEXTS} is not in the encoding of this database, as statements of databases in SQL_ASCII can be.`,
    mend: reset('databases without an encoding', `pg_encoding_to_char(d.encoding) = 'SQL_ASCII'`),
  },
  '22P05': {
    note: `${NO_TEXTS} has a character that the encoding of this database lacks. Where that is not UTF8, enter a database in UTF8 for this connection.`,
    mend: reset(
      'databases in other encodings than this one',
      `pg_encoding_to_char(d.encoding) not in ('SQL_ASCII', current_setting('server_encoding'))`,
    ),
  },
  '42883': {
    note: `${NO_TEXTS} is of a database whose encoding the server cannot convert to that of this one.`,
    mend: `-- Every statement there prevents the reading: they are counted no more, and what was counted is forgotten.
-- It holds for sessions that start after it.
do $$
declare one record;
begin
  for one in
    select d.oid, d.datname from pg_database d
    where pg_encoding_to_char(d.encoding) <> 'SQL_ASCII' and d.encoding <> pg_char_to_encoding(current_setting('server_encoding'))
      and not exists (
        select from pg_conversion c
        where c.condefault and c.conforencoding = d.encoding and c.contoencoding = pg_char_to_encoding(current_setting('server_encoding'))
      )
  loop
    execute format('alter database %I set pg_stat_statements.track = %L', one.datname, 'none');
    perform pg_stat_statements_reset(0, one.oid, 0);
  end loop;
end $$;`,
  },
};

export interface CheckedAnswer {
  readonly answer: Answer;
  /** The same verdict, which says that texts are missing. */
  marked(verdict: Verdict): Verdict;
}

/** Why the server returns none, and what mends that; undefined: the answer says nothing of the kind. */
export function withheldTexts(answer: Answer): { readonly note: string; readonly mend: string } | undefined {
  const code = answer.kind === 'refused' && !answer.broke ? foreignTextOf(answer.error.code) : undefined;
  return code && FOREIGN[code];
}

export async function answerOrWithoutTexts(
  session: Session,
  probe: Probe,
  answer: Answer,
): Promise<CheckedAnswer> {
  const foreign = withheldTexts(answer);
  if (!foreign || !isSqlProbe(probe) || !probe.withoutTexts) return { answer, marked: (verdict) => verdict };
  const text = probeStatement(probe, session.capabilities, probe.withoutTexts);
  const how = { ...probeReply(probe), isRaw: true };
  const [again = answer] = await runPipeline(session, [{ text, timeoutMs: probe.caps.timeoutMs, how }]);
  const marked = (verdict: Verdict): Verdict => {
    const { outcome } = verdict;
    if (outcome?.kind !== 'ran') return verdict;
    const note = outcome.note === undefined ? foreign.note : `${foreign.note}\n${outcome.note}`;
    const mend = outcome.mend ? `${foreign.mend}\n\n${outcome.mend}` : foreign.mend;
    return { ...verdict, outcome: { ...outcome, cause: outcome.cause ?? 'incomplete', note, mend } };
  };
  return { answer: again, marked };
}
