// Runs checks over what is known of one server. Pure. Guards: a check whose probes were not read is unknown, with the reason that
// coverage gives; one that fails hinders no other; however much a hostile server offers, what is kept is bounded.

import type { Severity } from '../../alerting/rules/types.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { type Platform, textOnPlatform } from '../../probes/requirements/platforms.ts';
import type { Facts } from './facts.ts';
import type { Check, EvidenceValue, Problem, Unknown } from './types.ts';

/** Why a probe has no rows of now somewhere. */
export interface Trouble {
  /** '': the server as a whole, or all databases. */
  readonly database_name: string;
  readonly because: string;
  readonly mend: string | null;
  /** The server has no such thing, which is fine. */
  readonly isNotApplicable: boolean;
}

export interface JudgeInput {
  readonly facts: Facts;
  readonly troubles: ReadonlyMap<string, readonly Trouble[]>;
  /** Told when a check fails, which is a mistake of ours. */
  readonly onFailed?: (check: Check, error: unknown) => void;
}

export interface Verdict {
  readonly check: Check;
  /** False: it is about something that this server has not. */
  readonly applies: boolean;
  /** The gravest, at most `MOST_FOUND`. */
  readonly found: readonly Problem[];
  /** Of all that was found: database and key. */
  readonly keys: ReadonlySet<string>;
  readonly unknown: readonly Unknown[];
}

/** So many findings of one check on one server are kept. */
const MOST_FOUND = 100;
const LONGEST_NAME = 256;
const LONGEST_TEXT = 1000;
const LONGEST_REMEDY = 4000;
const MOST_ROWS = 20;

export const keyOf = ({ database_name, object_name, object_key = object_name }: Problem): string =>
  `${database_name}\n${cutText(object_key, LONGEST_NAME)}`;

const cut = (text: string, most: number) => (text.length > most ? `${cutText(text, most - 1)}…` : text);
/** What servers say is one line. */
const line = (text: string, most: number) => cut(text.replace(/\p{Cc}|\p{Bidi_Control}/gu, ' '), most);

const boundedCells = (cells: Readonly<Record<string, EvidenceValue>>) =>
  Object.fromEntries(
    Object.entries(cells).map(([name, value]) => [
      name,
      typeof value === 'string' ? line(value, LONGEST_TEXT) : value,
    ]),
  );

function bounded(found: Problem, platform: Platform | undefined): Problem {
  const { object_name, object_key = object_name, message, evidence, rows = [] } = found;
  const remedy = platform ? textOnPlatform(found.remedy, platform) : found.remedy;
  return {
    ...found,
    object_name: line(object_name, LONGEST_NAME),
    object_key: cutText(object_key, LONGEST_NAME),
    message: line(message, LONGEST_TEXT),
    evidence: boundedCells(evidence),
    rows: rows.slice(0, MOST_ROWS).map(boundedCells),
    // Half a statement is worse than none.
    remedy: remedy.length > LONGEST_REMEDY ? '-- The statement is too long to show here.' : remedy,
  };
}

const GRAVITY = { info: 0, warning: 1, critical: 2 } as const satisfies Record<Severity, number>;
const gravestFirst = (a: Problem, b: Problem) =>
  GRAVITY[b.severity] - GRAVITY[a.severity] || (b.figure?.value ?? 0) - (a.figure?.value ?? 0);

/** The gravest, each key once: long names are cut to the same key, and one key twice could not be stored. */
function gravestOf(found: readonly Problem[], platform: Platform | undefined): Problem[] {
  const byKey = new Map<string, Problem>();
  for (const one of found.toSorted(gravestFirst)) if (!byKey.has(keyOf(one))) byKey.set(keyOf(one), one);
  return [...byKey.values()].slice(0, MOST_FOUND).map((one) => bounded(one, platform));
}

const NONE = { found: [], keys: new Set<string>() } as const;
const notHere = (check: Check): Verdict => ({ check, applies: false, ...NONE, unknown: [] });
const blind = (check: Check, unknown: readonly Unknown[]): Verdict => ({
  check,
  applies: true,
  ...NONE,
  unknown,
});

const alike = ({ because, mend, database_name = '' }: Unknown) => `${because}\n${mend}\n${database_name}`;
const distinct = (all: readonly Unknown[]): Unknown[] => [
  ...new Map(all.map((one) => [alike(one), one])).values(),
];

const NEVER: Unknown = { because: 'No data has been collected yet.', mend: null };

/** Of probes that were read nowhere: why. */
function whyNothing(troubles: readonly Trouble[]): Unknown[] {
  if (troubles.length === 0) return [NEVER];
  return distinct(troubles.map(({ because, mend }) => ({ because, mend }))).slice(0, 3);
}

function judged(check: Check, { facts, troubles, onFailed }: JudgeInput): Verdict {
  const needed = Object.keys(check.reads);
  const partial = needed.flatMap((probe) =>
    (troubles.get(probe) ?? []).filter(({ isNotApplicable }) => !isNotApplicable),
  );
  try {
    const { found, unknown = [] } = check.judge(facts);
    const { platform } = facts;
    const own = partial.map(({ because, mend, database_name }) => ({ because, mend, database_name }));
    const all = distinct([...unknown, ...own]);
    return {
      check,
      applies: true,
      keys: new Set(found.map(keyOf)),
      found: gravestOf(found, platform),
      unknown: all.map((one) => ({
        ...one,
        mend: one.mend && platform ? textOnPlatform(one.mend, platform) : one.mend,
      })),
    };
  } catch (error) {
    onFailed?.(check, error);
    return blind(check, [{ because: 'The check failed. The log has the error.', mend: null }]);
  }
}

function judgeOne(check: Check, asked: JudgeInput): Verdict {
  const { facts, troubles } = asked;
  const needed = Object.keys(check.reads);
  const unread = needed.filter((probe) => facts.databasesRead(probe).size === 0);
  const why = unread.flatMap((probe) => troubles.get(probe) ?? []);
  if (why.length > 0 && why.every(({ isNotApplicable }) => isNotApplicable)) return notHere(check);
  if (check.where !== undefined) {
    if (facts.isStandby === null) return blind(check, [NEVER]);
    if (facts.isStandby !== (check.where === 'standby')) return notHere(check);
  }
  if (unread.length > 0)
    return blind(check, whyNothing(why.filter(({ isNotApplicable }) => !isNotApplicable)));
  return judged(check, asked);
}

export const judgeAll = (checks: readonly Check[], asked: JudgeInput): Verdict[] =>
  checks.map((check) => judgeOne(check, asked));
