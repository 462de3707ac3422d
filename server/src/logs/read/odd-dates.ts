// Times that another program wrote before a line, with the day or the month first, or without a zone: `17/07/2017 10:00:00`. Guards: which of them is first is taken from the
// lines that can be read one way only, and said where none is; the zone is said to be unknown where none is written.

const ODD =
  /^([<[(]?)(\d{1,2})([/.-])(\d{1,2})\3(\d{4}),?[ T](\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{3})\d{0,6})?(?: ?([AaPp])\.?[Mm]\.?)?(?: ([A-Z]{2,5}|[+-]\d\d(?::?\d\d)?)(?=[^A-Za-z:]))?/;
/** svlogd writes `2023-05-04_12:00:00.12345`, in UTC; others leave the zone out. */
const WITHOUT_ZONE =
  /^(\d{4}-\d\d-\d\d)([ _])(\d\d:\d\d:\d\d)(?:[.,](\d{3})\d{0,6})?(?= (?:\[|\d{1,10} |[A-Z]{3,9}: ))/;
const ZERO = 48;
const NINE = 57;
const MONTHS = 12;
const NOON = 12;

const isDigit = (code: number) => code >= ZERO && code <= NINE;
const two = (value: number) => String(value).padStart(2, '0');

function withZone(line: string): string | undefined {
  const found = WITHOUT_ZONE.exec(line);
  if (found === null) return undefined;
  const [head, date, mark, time, ms] = found;
  const zone = mark === '_' ? 'UTC' : 'local';
  return `${date} ${time}${ms === undefined ? '' : `.${ms}`} ${zone}${line.slice(head.length)}`;
}

export class OddDates {
  #isMonthFirst: boolean | undefined;
  #isSeen = false;
  #isContradicted = false;

  /** What the report says; null where there is nothing to say. */
  get note(): 'either' | 'both' | null {
    if (this.#isContradicted) return 'both';
    return this.#isSeen && this.#isMonthFirst === undefined ? 'either' : null;
  }

  /** The line with its time as servers write it; undefined where it begins with none. */
  iso(line: string): string | undefined {
    const at = isDigit(line.charCodeAt(0)) ? 0 : 1;
    const mark = line.charAt(at + (isDigit(line.charCodeAt(at + 1)) ? 2 : 1));
    if (at === 0 && line.charAt(4) === '-') return withZone(line);
    if (!isDigit(line.charCodeAt(at)) || (mark !== '/' && mark !== '.' && mark !== '-')) return undefined;
    const found = ODD.exec(line);
    if (found === null) return undefined;
    const [head, open = '', first = '', sign, second = '', year, hour, minute, seconds, ms, half, zone] =
      found;
    const [day, month] = this.#ordered(Number(first), Number(second), sign === '/' && half !== undefined);
    if (month > MONTHS) return undefined;
    const hours = half === undefined ? Number(hour) : (Number(hour) % NOON) + (/p/i.test(half) ? NOON : 0);
    const time = `${two(hours)}:${minute}:${seconds}${ms === undefined ? '' : `.${ms}`}`;
    return `${open}${year}-${two(month)}-${two(day)} ${time} ${zone ?? 'local'}${line.slice(head.length)}`;
  }

  /** Hours of twice twelve are written where the month is first. */
  #ordered(first: number, second: number, isHalved: boolean): [day: number, month: number] {
    this.#isSeen = true;
    const sure = first > MONTHS ? false : second > MONTHS ? true : undefined;
    if (sure !== undefined) {
      this.#isContradicted ||= this.#isMonthFirst === !sure;
      this.#isMonthFirst = sure;
    }
    return (sure ?? this.#isMonthFirst ?? isHalved) ? [second, first] : [first, second];
  }
}
