// The one rule for names that people read, whether they come from a request, the command line or a monitored server: no
// space around them, nothing invisible in them, something to see. Guards: a name cannot look like another, nor turn the
// text around it.
import { Fault } from './errors.ts';
import { HIDDEN_CHARACTERS } from './schema.ts';

const HIDDEN = new RegExp(`[${HIDDEN_CHARACTERS}]`, 'u');
const ALL_HIDDEN = new RegExp(`[${HIDDEN_CHARACTERS}]`, 'gu');
/** They shape the letters beside them and are nothing by themselves. */
const JOINERS = /\s|\u200c|\u200d|[\ufe00-\ufe0f]/gu;
const LONGEST = 255;

export interface NameRule {
  /** What it is called in a refusal. */
  member?: string;
  /** 0 where an empty name is allowed. */
  minLength?: number;
  maxLength?: number;
}

const lengthOf = (text: string) => [...text].length;

/** The name as it is kept; 400 for one that breaks the rule. */
export function cleanName(name: string, rule: NameRule = {}): string {
  const { member = 'name', minLength = 1, maxLength = LONGEST } = rule;
  const trimmed = name.trim();
  const refuse = (sentence: string) => new Fault('bad_request', `${member} ${sentence}`);
  if (!trimmed.isWellFormed()) throw refuse('must be valid Unicode.');
  if (HIDDEN.test(trimmed)) throw refuse('must not contain invisible, control or direction characters.');
  const seen = trimmed.replaceAll(JOINERS, '');
  if (seen === '' && (minLength > 0 || trimmed !== '')) throw refuse('must not be empty.');
  if (lengthOf(trimmed) < minLength || lengthOf(trimmed) > maxLength)
    throw refuse(
      minLength > 0
        ? `must be a text of ${minLength} to ${maxLength} characters.`
        : `must be a text of at most ${maxLength} characters.`,
    );
  return trimmed;
}

/** What a monitored server calls itself, made to fit the rule; null when nothing is left. */
export function nameFromServer(name: string): string | null {
  const kept = [...name.toWellFormed().replaceAll(ALL_HIDDEN, ' ').trim()].slice(0, LONGEST).join('').trim();
  return kept.replaceAll(JOINERS, '') === '' ? null : kept;
}
