// What a look at the list of log files means: which files have something new, and which bytes are lost. Pure. Guards: a byte is either
// read, or part of a gap that says why; what was there before the first look is neither.
import { type LogFormat, SUFFIXES } from '../../estate/connections/log-source.ts';
import { greatest } from '../../kernel/lists.ts';

export interface ListedFile {
  readonly name: string;
  readonly size: number;
  /** Seconds since the epoch, as the server's file system has it. */
  readonly modified: number;
}

/** As it stands in the datastore. */
export interface FileState extends ListedFile {
  readonly position: number;
  readonly head_bytes: number;
  readonly head_hash: string;
}

export type GapReason =
  | 'removed'
  | 'truncated'
  | 'replaced'
  | 'format_changed'
  | 'line_too_long'
  | 'too_many'
  | 'incomplete';

export interface Gap {
  readonly name: string;
  readonly bytes: number;
  readonly reason: GapReason;
}

/** A change of what is known of a file, without anything that was read. */
export interface Change {
  /** Undefined: the file is new. */
  readonly before: FileState | undefined;
  /** Undefined: it is gone. */
  readonly after: FileState | undefined;
  readonly gap?: Gap;
}

export interface LookPlan {
  /** To be stored before anything is read. */
  readonly changes: readonly Change[];
  /** Files that may have something new, the oldest first. */
  readonly reads: readonly ListedFile[];
}

interface LogFiles {
  readonly files: ReadonlyMap<string, FileState>;
  /** Of the look before; undefined at the first one. */
  readonly format: LogFormat | undefined;
}

const fresh = (file: ListedFile, position: number): FileState => ({
  ...file,
  position,
  head_bytes: 0,
  head_hash: '',
});

const unread = ({ size, position }: FileState) => Math.max(0, size - position);

function gapOf(file: FileState, reason: GapReason): { gap?: Gap } {
  const bytes = unread(file);
  return bytes > 0 ? { gap: { name: file.name, bytes, reason } } : {};
}

/** From now on another form of the log is read: the rest of the files before is lost, and what was written since the last look is new. */
function atFormat(listed: readonly ListedFile[], { files }: LogFiles, suffix: string): Change[] {
  const last = greatest(
    [...files.values()].map(({ modified }) => modified),
    0,
  );
  return listed.flatMap((file): Change[] => {
    const before = files.get(file.name);
    if (file.name.endsWith(suffix)) {
      if (before !== undefined) return [];
      const isNew = files.size > 0 && file.modified > last;
      return [{ before, after: fresh(file, isNew ? 0 : file.size) }];
    }
    if (before === undefined) return [];
    const grown = { ...before, ...file };
    return unread(grown) > 0
      ? [{ before, after: { ...grown, position: file.size }, ...gapOf(grown, 'format_changed') }]
      : [];
  });
}

function changeOf(file: ListedFile, before: FileState | undefined): Change | undefined {
  if (before === undefined) return { before, after: fresh(file, 0) };
  if (file.size >= before.position) return undefined;
  return { before, after: fresh(file, 0), ...gapOf(before, 'truncated') };
}

export function planLook(listed: readonly ListedFile[], known: LogFiles, format: LogFormat): LookPlan {
  const suffix = SUFFIXES[format];
  const names = new Set(listed.map(({ name }) => name));
  const gone = [...known.files.values()]
    .filter(({ name }) => !names.has(name))
    .map(
      (before): Change => ({
        before,
        after: undefined,
        ...(before.name.endsWith(suffix) && gapOf(before, 'removed')),
      }),
    );
  const own = listed
    .filter(({ name }) => name.endsWith(suffix))
    .toSorted((a, b) => a.modified - b.modified || (a.name < b.name ? -1 : 1));
  const isFirst = known.format !== format;
  const changes = isFirst
    ? atFormat(listed, known, suffix)
    : own.flatMap((file) => changeOf(file, known.files.get(file.name)) ?? []);
  return { changes: [...gone, ...changes], reads: own };
}
