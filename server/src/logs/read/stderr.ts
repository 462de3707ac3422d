// Lines as the server writes them to stderr, with any log_line_prefix, and what syslog made of them. Guards: a prefix that changes
// is found out anew; a line that is none of PostgreSQL is counted with its reason.
import { ENGLISH, WORDS } from '../severities.ts';
import type { LogEvent } from '../types.ts';
import { Assembly, queryidOf } from './assembly.ts';
import { compilePrefix, type Prefix, prefixOfLine } from './prefix.ts';
import type { SyslogLine } from './syslog.ts';
import type { Times } from './time.ts';

/** Forms of a prefix that one file may have: background processes leave parts out. */
const MOST_PREFIXES = 64;
const TAB = 9;

export type LineOutcome = 'taken' | 'orphan' | 'foreign';

/** Where in its statement an error is: csvlog and jsonlog have it in a field of its own. */
const POSITION = / at character \d{1,10}$/;
const LONGEST_POSITION = 24;
/** Not a field of a journal that was written in full. */
const COPIED_TAB = /^ {4,}(?!(?:_[A-Z_]{2,40}|SYSLOG_[A-Z]{2,20}|PRIORITY|MESSAGE)=)\S/;
/** Pages also take all of the tab away; no other line of a server begins so. */
const OF_DEADLOCK = /^Process \d{1,10}(?:: \S| waits for .{1,200} blocked by process \d{1,10}\.$)/;
/** AlloyDB has the place in its source before the text. */
const SOURCE = /^\[\w{1,40}\.(?:c|cc|cpp):\d{1,6}\] {1,2}/;
/** A line of Heroku that goes on has all that is before the prefix of a first one. */
const HEROKU_MORE = /^app\[postgres\.(\d{1,10})\]: \[\w{1,64}\] \[\d{1,12}-\d{1,9}\] {1,2}(?:\t|#011)/;
const DURATION_BEFORE_ONE = /^(duration: [\d.]{1,20} ms) (?=[a-z])/;
/** What carries a line of the server, which begins with its time, has no more than this before it. */
const LONGEST_CARRIER = 300;
const OWN_START = /^[<[(]? ?\d{4}-\d\d-\d\d[ T]\d\d:/;
const NUMBERS = /\d+/g;

/** A line that goes on, without what the line before has in front of its own text as well; undefined where it has nothing of that. */
function carriedMore(line: string, before: string): string | undefined {
  for (let at = line.lastIndexOf('\t', LONGEST_CARRIER); at > 0; at = line.lastIndexOf('\t', at - 1)) {
    const carrier = line.slice(0, at).replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
    const found = new RegExp(`^${carrier.replaceAll(NUMBERS, '\\d+')}`).exec(before);
    if (found !== null && OWN_START.test(before.slice(found[0].length))) return line.slice(at + 1);
  }
  return undefined;
}

const NINE = 57;
const ZERO = 48;

function withoutPosition(event: LogEvent): LogEvent {
  const { message } = event;
  const last = message.charCodeAt(message.length - 1);
  if (last < ZERO || last > NINE) return event;
  const end = message.slice(-LONGEST_POSITION);
  const found = POSITION.exec(end);
  if (found) event.message = message.slice(0, message.length - found[0].length);
  return event;
}

/** What syslog, a journal or a container says of a line before the text. */
export type Framed = Pick<SyslogLine, 'pid' | 'time' | 'stream'>;

/** A session is named by its start and its process, both hexadecimal. */
const processOf = (session: string) => (session === '' ? '' : String(Number.parseInt(session, 16)));

export class StderrReader {
  readonly #times: Times;
  readonly #assembly: Assembly;
  readonly #prefixes: Prefix[] = [];
  #current: Prefix | undefined;
  #given: Prefix | undefined;
  /** The line before was one of an event. */
  #isBehindOwn = false;
  /** The last line that had a prefix. */
  #before = '';
  /** Words of severity that are not English, whose texts cannot be understood. */
  readonly foreignWords = new Set<string>();

  constructor(options: { times: Times; emit: (event: LogEvent) => void; prefix?: string | undefined }) {
    this.#times = options.times;
    this.#assembly = new Assembly((event) => options.emit(withoutPosition(event)));
    if (options.prefix !== undefined) {
      this.#given = compilePrefix(options.prefix);
      this.#prefixes.push(this.#given);
    }
    this.#current = this.#given;
  }

  /** Prefixes that lines had, in the order in which they were found. */
  get prefixes(): readonly string[] {
    return this.#prefixes.filter((one) => one !== this.#given || this.isGivenUsed).map(({ text }) => text);
  }

  isGivenUsed = false;
  /** Whether any event began in it. */
  hasEvents = false;

  /** What comes next does not go on with the line before, though it may begin with spaces. */
  leave(): void {
    this.#isBehindOwn = false;
  }

  line(line: string, framed?: Framed): LineOutcome {
    const outcome = this.#line(line, framed);
    this.#isBehindOwn = outcome === 'taken';
    return outcome;
  }

  #line(line: string, framed?: Framed): LineOutcome {
    if (line.charCodeAt(0) === TAB) return this.#assembly.more(line.slice(1).trimEnd()) ? 'taken' : 'orphan';
    const found = this.#matched(line);
    if (found === undefined) {
      const heroku = line.startsWith('app[') ? HEROKU_MORE.exec(line) : null;
      if (heroku !== null)
        return this.#assembly.moreOf(heroku[1] ?? '', line.slice(heroku[0].length), '\n')
          ? 'taken'
          : 'orphan';
      if (!this.#isBehindOwn) return 'foreign';
      // A terminal shows a tab as spaces, and so it is copied.
      const isCopied = COPIED_TAB.test(line) || OF_DEADLOCK.test(line);
      const more = isCopied ? line.trimStart() : carriedMore(line, this.#before);
      return more !== undefined && this.#assembly.more(more) ? 'taken' : 'foreign';
    }
    this.#before = line;
    return this.#take(line, found, framed) ? 'taken' : 'orphan';
  }

  /** Lines of the file that the next line stands for. */
  set weight(lines: number) {
    this.#assembly.weight = lines;
  }

  /** A line within syslog; parts after the first belong to the event of their process. */
  framed(one: SyslogLine): LineOutcome {
    if (one.isNewLine) {
      // Without a number the process is that of whose journal it is: the line goes on with the one before.
      const isTaken =
        one.sequence === '' ? this.#assembly.more(one.text) : this.#assembly.moreOf(one.pid, one.text, '\n');
      return isTaken ? 'taken' : 'orphan';
    }
    const outcome = this.line(one.text, one);
    if (outcome !== 'foreign' || one.part === 1) return outcome;
    return this.#assembly.moreOf(one.pid, one.text, '') ? 'taken' : 'orphan';
  }

  /** The line that was just taken was longer than lines may be. */
  cut(): void {
    this.#assembly.cut();
  }

  end(): void {
    this.#assembly.end();
  }

  #take(line: string, found: RegExpExecArray, framed: Framed | undefined): boolean {
    const { groups } = this.#current ?? { groups: undefined };
    if (groups === undefined) return false;
    const of = (at: number) => (at === 0 ? '' : (found[at] ?? ''));
    const rest = line.slice(found[0].length).trimEnd();
    const spaced = this.#current?.isOneSpace === true ? rest.replace(DURATION_BEFORE_ONE, '$1  ') : rest;
    const text = spaced.startsWith('[') ? spaced.replace(SOURCE, '') : spaced;
    const written = of(groups.word);
    const word = WORDS.get(written);
    if (word === undefined) return false;
    if (!ENGLISH.has(written) && this.foreignWords.size < 32) this.foreignWords.add(written);
    const pid = of(groups.pid) || processOf(of(groups.session)) || (framed?.pid ?? '');
    if ('field' in word) return this.#assembly.field(pid, word.field, text);
    this.hasEvents = true;
    const time = of(groups.time);
    const epoch = of(groups.epoch);
    this.#assembly.start({
      time:
        time !== ''
          ? this.#times.of(time)
          : epoch !== ''
            ? this.#times.epoch(epoch)
            : this.#framedTime(framed),
      severity: word.severity,
      sqlstate: of(groups.sqlstate) || of(groups.verbose),
      pid,
      user: of(groups.user),
      database: of(groups.database),
      application: of(groups.application),
      host: of(groups.host),
      message: text,
      ...queryidOf(of(groups.queryid)),
    });
    return true;
  }

  /** What carries a line says its time only where the line itself does not: both may be of different clocks. */
  #framedTime(framed: Framed | undefined): number {
    const time = framed?.time ?? Number.NaN;
    return Number.isNaN(time) ? time : this.#times.seen(time);
  }

  #matched(line: string): RegExpExecArray | undefined {
    const found = this.#current?.pattern.exec(line);
    if (found) {
      if (this.#current === this.#given) this.isGivenUsed = true;
      return found;
    }
    for (const prefix of this.#prefixes) {
      if (prefix === this.#current) continue;
      const other = prefix.pattern.exec(line);
      if (other !== null) {
        this.#current = prefix;
        return other;
      }
    }
    return this.#learned(line);
  }

  #learned(line: string): RegExpExecArray | undefined {
    // Most lines of other programs end here.
    if (!line.includes(': ') && !line.includes(' : ')) return undefined;
    const prefix = prefixOfLine(line);
    const found = prefix?.pattern.exec(line);
    if (!prefix || !found) return undefined;
    if (this.#prefixes.length < MOST_PREFIXES) this.#prefixes.push(prefix);
    this.#current = prefix;
    return found;
  }
}
