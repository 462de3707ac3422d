// What an entry of the knowledge base is. Types only.
import type { Version } from './versions.ts';

export type EntryKind =
  | 'parameter'
  | 'wait event'
  | 'wait event class'
  | 'view'
  | 'error code'
  | 'error class';

export interface Entry {
  kind: EntryKind;
  name: string;
  /** Other names that people look for, such as the condition of an error code. */
  also: readonly string[];
  /** What it is and what to do about it, in our words; undefined where only facts are known. */
  text: string | undefined;
  /** Sentences. */
  facts: readonly string[];
  /** Of PostgreSQL, that have it. */
  versions: readonly Version[];
}

/** Of a file of facts, by the names of its columns. */
export type Row = Readonly<Record<string, string>>;
export type Texts = ReadonlyMap<string, string>;

export interface Sources {
  rows: readonly Row[];
  textOf(key: string): string | undefined;
}
