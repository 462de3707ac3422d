// Values of monitored servers, exactly as they are: nothing is rounded, truncated or turned into a Date. Whatever is
// not listed here arrives as the server's text.
//   int8: a number while exact, else text · numeric, interval, date: text · float: number, NaN and infinity kept
//   timestamptz: RFC 3339 with all digits ("2026-01-02T03:04:05.123456Z"), infinity as it is · json: parsed
import pg from 'pg';

type Parser = (text: string) => unknown;

function exactNumber(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** `2026-01-02 03:04:05.123456+00` as RFC 3339; infinity, BC and years beyond 9999 stay as they are. */
function isoTime(text: string): string {
  const parts = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)?(:\d\d)?$/.exec(text);
  if (!parts) return text;
  const [, day, time, hours, minutes] = parts;
  if (hours === undefined) return `${day}T${time}`;
  return hours === '+00' && minutes === undefined
    ? `${day}T${time}Z`
    : `${day}T${time}${hours}${minutes ?? ':00'}`;
}

const asText: Parser = (text) => text;
const boolean: Parser = (text) => text === 't';
const bytes: Parser = (text) => Buffer.from(text.replace(/^\\x/, ''), 'hex');
const json: Parser = (text) => JSON.parse(text);

interface ArrayParser {
  create(text: string, transform: Parser): { parse(): unknown };
}
// Declared wrongly by the driver's types. It recurses; what a hostile depth throws is caught by the driver.
const arrays = pg.types.arrayParser as unknown as ArrayParser;

function arrayOf(element: Parser): Parser {
  return (text) => arrays.create(text, element).parse();
}

/** Type oid, oid of its array type, parser. */
const TYPES: readonly (readonly [number, number, Parser])[] = [
  [16, 1000, boolean],
  [17, 1001, bytes],
  [18, 1002, asText],
  [19, 1003, asText],
  [20, 1016, exactNumber],
  [21, 1005, Number],
  [23, 1007, Number],
  [25, 1009, asText],
  [26, 1028, Number],
  [28, 1011, asText],
  [114, 199, json],
  [700, 1021, Number],
  [701, 1022, Number],
  [869, 1041, asText],
  [1042, 1014, asText],
  [1043, 1015, asText],
  [1082, 1182, asText],
  [1114, 1115, isoTime],
  [1184, 1185, isoTime],
  [1186, 1187, asText],
  [1700, 1231, asText],
  [2206, 2211, asText],
  [2950, 2951, asText],
  [3220, 3221, asText],
  [3802, 3807, json],
];

const PARSERS = new Map<number, Parser>(
  TYPES.flatMap(([oid, arrayOid, parser]) => [
    [oid, parser],
    [arrayOid, arrayOf(parser)],
  ]),
);

export const exactTypes = {
  getTypeParser: (oid: number): Parser => PARSERS.get(oid) ?? asText,
};
