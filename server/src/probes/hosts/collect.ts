// Asks the sources of host facts in their order until everything wanted is known, once for all probes that are due.
// Guards: a source that fails or hangs is a stored reason and never an error, and none of them is asked for what a
// better one already said.
import { errorCode } from '../../kernel/errors.ts';
import { type FamilyRow, type HostMemory, lifeOf, type Observed, remember } from './between-ticks.ts';
import { sources as catalog } from './catalog.gen.ts';
import { FAMILIES } from './families.ts';
import { type Answer, factsOf, mergeRows, mergeValues, missing, SYSTEM_FIELDS } from './merge.ts';
import type { HostFamily, HostField, HostInput, HostRow, HostSource, SourceOutcome } from './types.ts';

/** The pseudo-probe under which values are stored with their origin. */
export const HOST_PROBE = 'host';
export const HOST_INTERVAL_SECONDS = 600;

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

export interface HostWish {
  /** Probes to make rows for. */
  families?: readonly HostFamily[];
  /** Whether rows of the pseudo-probe `host` are wanted too. */
  origins?: boolean;
  /** Of the gatherings before; changed by this one. */
  memory?: HostMemory;
  sources?: readonly HostSource[];
}

export type FamilyOutcome =
  | { kind: 'ran'; rows: FamilyRow[] }
  | { kind: 'skipped'; reason: string; mend: string | null };

export interface HostReading {
  /** Each value with source and time, then what became of each source asked. */
  origins: HostRow[];
  families: ReadonlyMap<HostFamily, FamilyOutcome>;
  /** There was nothing to compare the processors' time with: the next gathering tells how busy they are. */
  isFirst: boolean;
  /** The machine and its start: counters of another life have nothing to do with these. */
  life: string | undefined;
}

/** Why nobody knows: the sources that could are named, and the mend is that of the first that has one. */
function unknown(
  family: HostFamily,
  sources: readonly HostSource[],
  answers: readonly Answer[],
): FamilyOutcome {
  const able = sources.filter(({ tells }) => tells?.includes(family) ?? true).map(({ name }) => name);
  const mine = answers.filter(({ source }) => able.includes(source));
  const words = mine.map(({ source, outcome }) =>
    outcome.status === 'ok' ? `${source}: It does not tell this here.` : `${source}: ${outcome.reason}`,
  );
  const mends = mine.flatMap(({ outcome }) =>
    outcome.status === 'unavailable' && outcome.mend !== null ? [outcome.mend] : [],
  );
  const reason = ['No source knows this of the machine of the server.', ...words].join(' ');
  return { kind: 'skipped', reason, mend: mends[0] ?? null };
}

interface HostAnswers {
  answers: Answer[];
  sources: readonly HostSource[];
}

async function askInOrder(
  input: HostInput,
  wish: HostWish,
  wanted: readonly HostField[],
): Promise<HostAnswers> {
  const sources = (wish.sources ?? catalog).toSorted((a, b) => a.order - b.order);
  const answers: Answer[] = [];
  for (const source of sources) {
    const still = missing(answers, wanted);
    if (input.signal.aborted || still.size === 0) break;
    const outcome = await ask(source, { ...input, wanted: still });
    answers.push({ source: source.name, outcome, observed_at: input.clock.now() });
  }
  return { answers, sources };
}

/** One gathering for everything that is wanted of one machine. */
export async function collectHost(input: HostInput, wish: HostWish = {}): Promise<HostReading> {
  const { families = [], origins = true, memory = {} } = wish;
  const ofFamilies = families.flatMap((family) => FAMILIES[family].fields);
  const wanted = [...new Set([...(origins ? SYSTEM_FIELDS : []), ...ofFamilies])];
  const { answers, sources } = await askInOrder(input, wish, wanted);
  const values = mergeValues(answers);
  const observed: Observed = {
    facts: factsOf(values),
    sourceOf: (field) => values.get(field)?.source,
    at: input.clock.monotonic(),
    now: input.clock.now(),
  };
  const outcomeOf = (family: HostFamily): FamilyOutcome => {
    const { needs, rows } = FAMILIES[family];
    const isKnown = needs.some((field) => values.has(field));
    return isKnown ? { kind: 'ran', rows: rows(observed, memory) } : unknown(family, sources, answers);
  };
  const outcomes = new Map(families.map((family) => [family, outcomeOf(family)] as const));
  const isFirst = remember(memory, observed);
  return { origins: mergeRows(answers), families: outcomes, isFirst, life: lifeOf(memory, observed) };
}
