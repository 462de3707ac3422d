// Lines that carry one of a server, whatever stands around it. Guards: a name before a line is that of a container only when a line of a server
// came behind it.
import { isCsvStart } from './csv.ts';
import { type Carried, carriedByMark, carriedByName, carriedByTime } from './envelope.ts';
import { isJsonStart } from './json.ts';
import { prefixOfLine } from './prefix.ts';
import { isSyslog } from './syslog.ts';
import { carriedByText } from './texts.ts';

export class CarriedLines {
  /** Containers and pods whose name is before each of their lines. */
  readonly #names = new Set<string>();

  of(line: string): Carried | undefined {
    const marked = carriedByMark(line) ?? carriedByText(line);
    if (marked !== undefined) return marked;
    const named = carriedByName(line);
    if (named === undefined) return isSyslog(line) ? undefined : carriedByTime(line);
    const text = carriedByTime(named.text)?.text ?? named.text;
    if (prefixOfLine(text) !== undefined || isCsvStart(text) || isJsonStart(text))
      this.#names.add(named.stream);
    return this.#names.has(named.stream) ? named : undefined;
  }
}
