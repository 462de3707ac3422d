// Asks the sources of host facts in their order until everything is known. Guards: a source that fails or hangs is
// a stored reason and never an error, and none of them is asked for what a better one already said.
import { errorCode } from '../kernel/db.ts';
import { sources as catalog } from './catalog.gen.ts';
import { type Answer, isComplete, mergeRows } from './merge.ts';
import type { HostInput, HostRow, HostSource, SourceOutcome } from './types.ts';

/** The pseudo-probe under which the rows are stored. */
export const HOST_PROBE = 'host';
export const HOST_INTERVAL_SECONDS = 300;

const LIMIT_MS = 10_000;

function failed(error: unknown): SourceOutcome {
  const code = errorCode(error);
  const state = code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? ` (SQLSTATE ${code})` : '';
  return { status: 'unavailable', reason: `The source could not be read${state}.`, mend: null };
}

async function ask(source: HostSource, input: HostInput): Promise<SourceOutcome> {
  const late = Promise.withResolvers<SourceOutcome>();
  const outcome: SourceOutcome = {
    status: 'unavailable',
    reason: `The source did not answer within ${LIMIT_MS / 1000} s.`,
    mend: null,
  };
  const timer = setTimeout(() => late.resolve(outcome), LIMIT_MS);
  try {
    return await Promise.race([source.gather(input), late.promise]);
  } catch (error) {
    return failed(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Rows for the pseudo-probe `host`: each value with source and time, then what became of each source asked. */
export async function collectHost(
  input: HostInput,
  sources: readonly HostSource[] = catalog,
): Promise<HostRow[]> {
  const answers: Answer[] = [];
  for (const source of sources.toSorted((a, b) => a.order - b.order)) {
    if (input.signal.aborted || isComplete(answers)) break;
    const outcome = await ask(source, input);
    answers.push({ source: source.name, outcome, observed_at: input.clock.now() });
  }
  return mergeRows(answers);
}
