// When schedules begin, against an oracle that walks through real minutes and looks at the wall clock, over zones with half
// hours, skipped midnights and a skipped day (F11).
import { describe, expect, it } from 'vitest';
import { type Cron, parseCron } from './cron.ts';
import { demandRecurrence, demandZone, nextOccurrences, occurrencesBetween } from './recurrence.ts';

const ms = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const iso = (at: number) => new Date(at).toISOString().replace(':00.000Z', 'Z');
const rule = (cron_expression: string, timezone: string) => ({ cron: parseCron(cron_expression), timezone });

function matches(cron: Cron, wall: Temporal.PlainDateTime): boolean {
  const day = cron.days.includes(wall.day);
  const weekday = cron.weekdays.includes(wall.dayOfWeek % 7);
  const isDay = cron.byDay && cron.byWeekday ? day || weekday : day && weekday;
  return (
    isDay &&
    cron.months.includes(wall.month) &&
    cron.hours.includes(wall.hour) &&
    cron.minutes.includes(wall.minute)
  );
}

/** What the clock shows for the first time at each minute that passes; more than one where it jumps forward. */
function walk(timezone: string, [from, to]: readonly [string, string]) {
  const minutes: { at: number; shown: Temporal.PlainDateTime[] }[] = [];
  const seen = new Set<string>();
  let next: Temporal.PlainDateTime | undefined;
  // From a day earlier, so that what was shown before is known.
  for (let at = ms(from) - 86_400_000; at <= ms(to); at += 60_000) {
    const wall = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).toPlainDateTime();
    const shown: Temporal.PlainDateTime[] = [];
    let passed = next ?? wall;
    for (; Temporal.PlainDateTime.compare(passed, wall) <= 0; passed = passed.add({ minutes: 1 })) {
      const text = passed.toString();
      if (!seen.has(text)) shown.push(passed);
      seen.add(text);
    }
    next = wall.add({ minutes: 1 });
    if (at > ms(from)) minutes.push({ at, shown });
  }
  return minutes;
}

const told = (expression: string, timezone: string, [from, to]: readonly [string, string]) =>
  [...occurrencesBetween(rule(expression, timezone), { after: ms(from), until: ms(to) })].map(({ at }) =>
    iso(at),
  );

/** Days around which the clocks change, in zones that do it in every way there is. */
const CHANGES: readonly (readonly [zone: string, from: string, to: string])[] = [
  ['Europe/Vienna', '2026-03-28T12:00Z', '2026-03-30T12:00Z'],
  ['Europe/Vienna', '2026-10-24T12:00Z', '2026-10-26T12:00Z'],
  ['America/New_York', '2026-11-01T00:00Z', '2026-11-02T00:00Z'],
  ['America/St_Johns', '2026-03-07T12:00Z', '2026-03-09T12:00Z'],
  ['Asia/Kolkata', '2026-03-28T12:00Z', '2026-03-30T12:00Z'],
  ['Asia/Kathmandu', '2026-03-28T12:00Z', '2026-03-30T12:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T06:00Z', '2026-10-04T18:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T06:00Z', '2026-04-05T18:00Z'],
  ['America/Sao_Paulo', '2017-10-14T12:00Z', '2017-10-16T12:00Z'],
  ['America/Sao_Paulo', '2018-02-17T12:00Z', '2018-02-19T12:00Z'],
  ['Africa/Cairo', '2024-04-25T12:00Z', '2024-04-27T12:00Z'],
  ['Africa/Cairo', '2024-10-31T12:00Z', '2024-11-01T12:00Z'],
  ['Asia/Beirut', '2024-03-30T12:00Z', '2024-04-01T12:00Z'],
  ['Asia/Beirut', '2024-10-26T12:00Z', '2024-10-28T12:00Z'],
  ['Pacific/Apia', '2011-12-28T00:00Z', '2012-01-01T12:00Z'],
  ['Africa/Casablanca', '2026-02-14T12:00Z', '2026-02-16T12:00Z'],
  ['America/Nuuk', '2023-03-25T12:00Z', '2023-03-27T12:00Z'],
  ['UTC', '2026-03-28T12:00Z', '2026-03-30T12:00Z'],
];

describe('F11 occurrences are those of the wall clock', () => {
  const expressions = [
    '* * * * *',
    '*/15 0-3 * * *',
    '30 2 * * *',
    '0 0 * * *',
    '7,37 23,0,1 * * SUN',
    '15 1 1,29 * 0',
  ];
  it.each(CHANGES)('in %s from %s to %s', (zone, from, to) => {
    const minutes = walk(zone, [from, to]);
    for (const expression of expressions) {
      const { cron } = rule(expression, zone);
      const due = minutes.filter(({ shown }) => shown.some((wall) => matches(cron, wall)));
      expect(told(expression, zone, [from, to]), expression).toEqual(due.map(({ at }) => iso(at)));
    }
  });

  it.each([
    // Skipped: the first instant after the gap.
    ['30 2 * * *', 'Europe/Vienna', '2026-03-28T12:00Z', '2026-03-29T01:00Z', 'skipped'],
    ['0 0 * * *', 'Africa/Cairo', '2024-04-25T12:00Z', '2024-04-25T22:00Z', 'skipped'],
    ['30 0 * * *', 'Asia/Beirut', '2024-03-30T12:00Z', '2024-03-30T22:00Z', 'skipped'],
    ['59 0 * * *', 'America/Sao_Paulo', '2017-10-14T12:00Z', '2017-10-15T03:00Z', 'skipped'],
    ['10 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-03T15:30Z', 'skipped'],
    // The whole 30 December was skipped there.
    ['0 2 30 12 *', 'Pacific/Apia', '2011-12-30T00:00Z', '2011-12-30T10:00Z', 'skipped'],
    // Repeated: once, the first time.
    ['30 2 * * *', 'Europe/Vienna', '2026-10-24T12:00Z', '2026-10-25T00:30Z', 'repeated'],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T03:00Z', '2026-04-04T14:45Z', 'repeated'],
    ['30 23 * * *', 'America/Sao_Paulo', '2018-02-17T12:00Z', '2018-02-18T01:30Z', 'repeated'],
    // Neither.
    ['0 2 * * *', 'Asia/Kolkata', '2026-03-28T12:00Z', '2026-03-28T20:30Z', undefined],
    ['0 3 * * *', 'Europe/Vienna', '2026-03-28T12:00Z', '2026-03-29T01:00Z', undefined],
  ] as const)('%s in %s after %s is at %s', (...[expression, zone, after, at, shift]) => {
    const [next] = nextOccurrences(rule(expression, zone), ms(after), 1);
    expect([iso(next?.at ?? 0), next?.shift]).toEqual([at, shift]);
  });

  it('begins once where several skipped times come to the same instant', () => {
    const window = ['2026-03-29T00:00Z', '2026-03-29T02:00Z'] as const;
    expect(told('*/20 2,3 * * *', 'Europe/Vienna', window)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-29T01:20Z',
      '2026-03-29T01:40Z',
    ]);
  });

  it('begins once in a repeated hour, and not again in its second pass', () => {
    const second = ['2026-10-25T00:59Z', '2026-10-25T02:30Z'] as const;
    expect(told('*/30 * * * *', 'Europe/Vienna', second)).toEqual(['2026-10-25T02:00Z', '2026-10-25T02:30Z']);
  });
});

describe('which days', () => {
  const dates = (expression: string, count: number) =>
    nextOccurrences(rule(expression, 'UTC'), ms('2026-11-22T12:00Z'), count).map(({ at }) =>
      iso(at).slice(0, 10),
    );

  it('either field, where both say which', () => {
    expect(dates('0 0 1,15 * SUN', 5)).toEqual([
      '2026-11-29',
      '2026-12-01',
      '2026-12-06',
      '2026-12-13',
      '2026-12-15',
    ]);
    expect(dates('0 0 */10 * MON', 4)).toEqual(['2026-11-23', '2026-11-30', '2026-12-01', '2026-12-07']);
  });

  it('the one field that says which', () => {
    expect(dates('0 0 * * 7', 2)).toEqual(['2026-11-29', '2026-12-06']);
    expect(dates('0 0 * * 0', 2)).toEqual(dates('0 0 * * 7', 2));
    expect(dates('0 0 31 * *', 3)).toEqual(['2026-12-31', '2027-01-31', '2027-03-31']);
    expect(dates('0 0 */1 * MON', 2)).toEqual(['2026-11-23', '2026-11-30']);
  });

  it('the 29 February within the next four years', () => {
    expect(dates('0 0 29 2 *', 3)).toEqual(['2028-02-29']);
  });
});

describe('an expression', () => {
  it.each([
    ['0 2 * * FRI-SUN', { weekdays: [0, 5, 6] }],
    ['0 2 * * 5-7', { weekdays: [0, 5, 6] }],
    ['0 2 * JAN,dec *', { months: [1, 12] }],
    ['00,30 08-10/2 * * *', { minutes: [0, 30], hours: [8, 10] }],
    ['  5\t4  * * * ', { minutes: [5], hours: [4] }],
  ])('%j is %j', (text, expected) => {
    expect(parseCron(text)).toMatchObject(expected);
  });

  it.each([
    ['@daily', /macro/],
    ['@reboot', /macro/],
    ['0 0 2 * * *', /five fields .*this has 6.*Seconds/],
    ['0 2 * *', /this has 4/],
    ['', /this has 0/],
    ['60 2 * * *', /60 is no minute; the minute goes from 0 to 59/],
    ['0 24 * * *', /24 is no hour/],
    ['0 0 0 * *', /0 is no day of month/],
    ['0 0 32 * *', /32/],
    ['0 0 * 13 *', /13 is no month/],
    ['0 0 * * 8', /8 is no day of week/],
    ['0 0 L * *', /"L" is no day of month/],
    ['0 0 15W * *', /15W/],
    ['0 0 * * 5#2', /5#2/],
    ['0 0 ? * *', /"\?"/],
    ['0 0 * * MONDAY', /MONDAY.*a name like MON/],
    ['0 JAN * * *', /"JAN" is no hour/],
    ['5/15 * * * *', /a step follows \* or a range/],
    ['*/0 * * * *', /step of the minute goes from 1 to 59/],
    ['*/60 * * * *', /step/],
    ['*/5/5 * * * *', /step/],
    ['0 22-2 * * *', /goes backwards/],
    ['0 0 * * 6-0', /goes backwards/],
    ['1,,2 * * * *', /comma too many/],
    ['1- * * * *', /"" is no minute/],
    ['-1 * * * *', /"" is no minute/],
    ['1.5 * * * *', /"1.5"/],
    ['٣ * * * *', /is no minute/],
    ['0 0 30 2 *', /no such date within the next 4 years/],
    ['0 0 31 4,6,9,11 *', /no such date/],
    [`0 0 * * ${'1,'.repeat(200)}1`, /at most 255 characters/],
  ])('%j is refused', (cron_expression, words) => {
    const check = () => demandRecurrence({ cron_expression, timezone: 'UTC' }, ms('2026-11-22T12:00Z'));
    expect(check).toThrow(
      expect.objectContaining({ code: 'bad_request', message: expect.stringMatching(words) }),
    );
  });
});

describe('a zone', () => {
  it.each([
    ['UTC', 'UTC'],
    ['Europe/Vienna', 'Europe/Vienna'],
    ['europe/vienna', 'Europe/Vienna'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ])('%s is %s', (name, known) => {
    expect(demandZone(name)).toBe(known);
  });

  it.each([
    '',
    'Foo/Bar',
    '+02:00',
    'Z',
    '2026-01-01T00:00Z',
    'Local',
    'Europe/Vienna ',
    `A${'a'.repeat(500)}`,
  ])('%j is refused', (name) => {
    expect(() => demandZone(name)).toThrow(/IANA name/);
  });
});
