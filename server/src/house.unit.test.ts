// The architecture, as rules that fail with their own sentence. A rule looks at one file and answers what breaks it.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operations } from './api/operations.gen.ts';
import { allConstraints } from './app/routes.ts';
import { FILE_KINDS, membersOf } from './cli/gen/catalogs.ts';
import { findOperations } from './cli/gen/operations.ts';
import { PRIVATE_NAMES, PRIVATE_TYPES, UNITS_AGAIN } from './testing/private-words.ts';
import { roomMap, roomOf } from './testing/room-map.ts';
import { codeOf, readSource, type SourceFile, textsOf } from './testing/source-files.ts';
import { spreadArguments } from './testing/spread-arguments.ts';

const files = readSource();
const product = files.filter(({ room, isTest }) => !isTest && room !== 'testing' && room !== 'bench');

interface Rule {
  sentence: string;
  /** Whatever breaks the rule in this file. */
  broken(file: SourceFile): string[];
}

const relative = (file: SourceFile) => file.imports.filter(({ isRelative }) => isRelative);
const targets = (file: SourceFile) => relative(file).map(({ target }) => target);
const named = (file: SourceFile, ending: string) => file.path.endsWith(ending);

/** The wings of the domain, the lower ones first. */
const WINGS = ['identity', 'history', 'estate', 'alerting', 'insight', 'assistant'];
const DRIVERS = ['api', 'collector', 'cli'];

/** Rooms that each room may import from, besides itself and the kernel. */
const REACH: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  monitored: [],
  datastore: [],
  logs: [],
  // The page runs it in the browser.
  plans: [],
  probes: ['monitored'],
  store: ['probes'],
  identity: [],
  history: ['identity', 'store', 'probes'],
  estate: ['history', 'identity', 'store', 'probes', 'monitored', 'logs'],
  alerting: ['estate', 'history', 'identity', 'store', 'probes', 'monitored'],
  insight: ['alerting', 'estate', 'history', 'identity', 'store', 'probes', 'monitored', 'logs', 'plans'],
  assistant: [
    'insight',
    'alerting',
    'estate',
    'history',
    'identity',
    'store',
    'probes',
    'monitored',
    'plans',
  ],
};
const DOMAIN = Object.keys(REACH).filter((room) => room !== 'kernel');
const driven = [...DOMAIN, 'kernel'];
const above: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(DRIVERS.map((driver) => [driver, driven])),
  app: [...DRIVERS, ...driven],
  main: ['app', ...DRIVERS, ...driven],
};
/** What writes the documents of the API reads what it serves. */
const reach = ({ room, path }: SourceFile): readonly string[] =>
  path.startsWith('cli/gen/') ? ['api', ...driven] : (above[room] ?? ['kernel', ...(REACH[room] ?? [])]);

/** The part of a wing that a file is in, as `alerting/blackouts`; undefined for what is not in one. */
const areaOf = (path: string) => {
  const [wing = '', area, file] = path.split('/');
  return WINGS.includes(wing) && file !== undefined ? `${wing}/${area}` : undefined;
};

/** What one part of a wing may use of another: its service, its contract, and what all share of access and scopes. */
const OPEN = /\.(service|contract|schemas|types)\.ts$|^(?:identity\/access|estate\/scopes)\//;
/** Folders with one file for each thing: they are parts that have no service, and are used file by file. */
const CATALOGS =
  /^(?:alerting\/(?:rules|channels|alerter)|insight\/(?:checks|advice)|assistant\/(?:tools|providers|knowledge))\//;

/** What other wings may import of one. */
const facesOf = (wing: string) =>
  new RegExp(
    `^${wing}/${wing}\\.ts$|\\.(?:contract|schemas)\\.ts$|^(?:alerting/rules|insight/checks)/[\\w-]+(?:\\.gen)?\\.ts$`,
  );

/** Rooms that ask what was collected. */
const READERS = ['api', ...WINGS];
const METRICS_TABLE =
  /\b(?:from|join|into|update|table|using)\s+metrics\.\w*|\bmetrics\.(?:current_snapshots|facts|objects|queries|known_gaps)\b/g;
/** The way in; the words of outcomes and gaps, and the list of statements that were sent. */
const STORE_OPEN = /^store\/(?:read\/doors\/|layout\/(?:types|intervals)\.ts$|spool\/gaps\.ts$)/;

const isDoor = (path: string) => path.startsWith('store/read/doors/');
/** How large the read side may be: it shrinks, and these with it. */
const READ_SIDE = { doors: 5, files: 26, lines: 5000, walk: 20 };

function matches(file: SourceFile, pattern: RegExp): string[] {
  return file.code.match(pattern)?.map((found) => found.trim()) ?? [];
}

const INSIDE_DRIVER =
  /\bfrom 'pg\/lib[^']*'|\bpg\.Query\.prototype\b|\b_send\b|\bconnectionParameters\b|\bprocessID\b/g;

const KEEPERS: Record<string, RegExp> = {
  'kernel/config.ts': /process\.env/g,
  'kernel/clock.ts': /Date\.now|new Date\(\)/g,
  'kernel/log.ts': /\bconsole\./g,
  'kernel/db.ts': /new (?:pg\.)?Pool\b/g,
};

/** The rooms of the store, each with those that it may import from; the spool stands by itself. */
const STORE_FLOORS: Readonly<Record<string, readonly string[]>> = {
  layout: [],
  format: ['layout'],
  rollup: ['format', 'layout'],
  compact: ['rollup', 'format', 'layout'],
  spool: [],
  read: ['compact', 'rollup', 'format', 'layout', 'spool'],
  write: ['compact', 'rollup', 'format', 'layout', 'spool'],
  upkeep: ['compact', 'rollup', 'format', 'layout', 'spool'],
};

/** The room within store/, or undefined for what is not in it. */
const floorOf = (path: string) => /^store\/([^/]+)/.exec(path)?.[1];

const ROOM_WORDS = new Set([
  ...operations.flatMap(({ id, path }) => [id, path]),
  ...Object.keys(allConstraints),
]);

/** What of an operation or a table stands in a file: its names in texts, constraints also as keys, paths also as patterns. */
const roomWordsOf = (file: SourceFile): string[] => [
  ...textsOf(file.text).filter((text) => ROOM_WORDS.has(text) || /\/v1\b/.test(text)),
  ...(file.code.match(/\w+/g) ?? []).filter((word) => Object.hasOwn(allConstraints, word)),
  ...matches(file, /\\\/v1\b/g),
];

const LOCAL_TIME =
  /\.(?:[gs]et(?:Hours|Minutes|Date|Day|Month|FullYear|TimezoneOffset)|toLocale\w*String|toDateString|toTimeString)\(/g;

/** Of a function of PostgreSQL that cuts texts; of what PostgreSQL itself has written, or of bytes, they may. */
const CUTS_TEXT =
  /(?:pg_catalog\.)?"?\b(?:left|right|substr|substring|starts_with|overlay|rpad|lpad)\b"?\((?!pg_catalog\.(?:textsend|pg_walfile_name|split_part\(w\.name)|\$\{text\}, '|[\s\S]{0,20}?=>)/g;

const RULES: readonly Rule[] = [
  {
    sentence:
      'Imports point one way: main → app → { api, collector, cli } → assistant → insight → alerting → estate → history → identity, all over { store, probes, monitored } → kernel.',
    broken: (file) =>
      targets(file).filter((target) => roomOf(target) !== file.room && !reach(file).includes(roomOf(target))),
  },
  {
    sentence:
      'Imports within the store point one way: read | write | upkeep → compact → rollup → format → layout.',
    broken: (file) => {
      const own = floorOf(file.path);
      if (own === undefined) return [];
      const below = STORE_FLOORS[own];
      if (below === undefined) return ['stands in no room of the store'];
      return targets(file).filter((target) => {
        const floor = floorOf(target);
        return floor !== undefined && floor !== own && !below.includes(floor);
      });
    },
  },
  {
    sentence: 'A contract imports only the schema and contract helpers, other contracts and their schemas.',
    broken: (file) =>
      named(file, '.contract.ts') || named(file, '.schemas.ts')
        ? file.imports
            .map(({ target }) => target)
            .filter((target) => !/^kernel\/(schema|contract)\.ts$|\.(contract|schemas)\.ts$/.test(target))
        : [],
  },
  {
    sentence: 'SQL stands only in queries, probes, host sources, store, migrations and the datastore.',
    broken: (file) =>
      file.imports.some(({ target, isTypeOnly }) => target === 'kernel/sql.ts' && !isTypeOnly) &&
      !named(file, '.queries.ts') &&
      !['probes', 'store', 'datastore', 'monitored', 'kernel'].includes(file.room)
        ? ['imports kernel/sql.ts']
        : [],
  },
  {
    sentence:
      'No text is cut on a monitored server: what is no whole character there costs the whole answer. Cut bytes, or cut here.',
    broken: (file) =>
      /^(?:probes|collector|alerting\/rules|insight\/advice)\//.test(file.path)
        ? matches(file, CUTS_TEXT)
        : [],
  },
  {
    sentence: 'Queries know no service and no route.',
    broken: (file) =>
      named(file, '.queries.ts')
        ? targets(file).filter((target) => /\.(service|routes)\.ts$/.test(target))
        : [],
  },
  {
    sentence: 'A service sees no HTTP.',
    broken: (file) =>
      named(file, '.service.ts')
        ? file.imports
            .map(({ target }) => target)
            .filter((target) => /^fastify|^node:http|^kernel\/route\.ts$|\.routes\.ts$/.test(target))
        : [],
  },
  {
    sentence: 'Routes see no SQL.',
    broken: (file) =>
      named(file, '.routes.ts')
        ? targets(file).filter((target) => target === 'kernel/sql.ts' || target.endsWith('.queries.ts'))
        : [],
  },
  {
    sentence:
      'A room uses another room only through its service, its contract, and what all share of access and scopes.',
    broken: (file) => {
      const own = areaOf(file.path);
      if (own === undefined) return [];
      return targets(file).filter((target) => {
        const other = areaOf(target);
        const isNear = other !== undefined && other !== own && roomOf(target) === file.room;
        return isNear && !OPEN.test(target) && !CATALOGS.test(target);
      });
    },
  },
  {
    sentence:
      'A wing uses another wing only through its face (alerting/alerting.ts), its contracts and schemas, and its rules or checks, one by one.',
    broken: (file) =>
      WINGS.includes(file.room)
        ? targets(file).filter((target) => {
            const other = roomOf(target);
            return WINGS.includes(other) && other !== file.room && !facesOf(other).test(target);
          })
        : [],
  },
  {
    sentence: 'process.env, Date.now, console and new Pool stand only in kernel/{config,clock,log,db}.ts.',
    broken: (file) =>
      Object.entries(KEEPERS).flatMap(([keeper, pattern]) =>
        file.path === keeper ? [] : matches(file, pattern),
      ),
  },
  {
    sentence: 'Of node:http only types are imported: its names load a further HTTP client (16 MB, 25 ms).',
    broken: (file) => matches(file, /^import (?!type).* from 'node:https?';$/gm),
  },
  {
    sentence: 'Names say what they hold: none of the words that were private to this house.',
    broken: (file) => [...matches(file, PRIVATE_TYPES), ...matches(file, PRIVATE_NAMES)],
  },
  {
    sentence: 'Private members of the driver are used in kernel/driver.ts alone.',
    broken: (file) => (file.path === 'kernel/driver.ts' ? [] : matches(file, INSIDE_DRIVER)),
  },
  {
    sentence:
      'Lengths of time in milliseconds have their names once, in kernel/units.ts; a moment is written by iso of kernel/times.ts.',
    broken: (file) =>
      ['kernel/units.ts', 'kernel/times.ts'].includes(file.path) ? [] : matches(file, UNITS_AGAIN),
  },
  {
    sentence: 'Nothing is computed in the zone of the machine: no local hours, days or texts of a Date.',
    broken: (file) => matches(file, LOCAL_TIME),
  },
  {
    sentence: 'How many intervals a value stands for stands in intervals.ts of the store alone.',
    broken: (file) =>
      ['store', ...WINGS].includes(file.room) &&
      !named(file, '/layout/intervals.ts') &&
      !CATALOGS.test(file.path)
        ? matches(file, /(?<![\w.])(?:2\.5|2_?500)(?![\w.])/g)
        : [],
  },
  {
    sentence:
      'Types are not asserted outside the kernel and what speaks the protocol (monitored): no `as`, but for `as const`.',
    broken: (file) =>
      file.room === 'kernel' || /^monitored\/[^/]+$/.test(file.path)
        ? []
        : matches(file, /\bas (?:unknown|any|never|[A-Z{[]).*$/gm),
  },
  {
    sentence:
      'No list is spread into the arguments of a call: kernel/lists.ts has greatest, least and append.',
    broken: (file) => [
      ...spreadArguments(file.code),
      ...matches(file, /(?:Math\.\w+|String\.from\w+|\.push|\.unshift)\.apply\b/g),
    ],
  },
  {
    sentence: 'A file has at most 300 lines; tests and generated files 500.',
    broken: (file) => (file.lines > (file.isGenerated ? 500 : 300) ? [`${file.lines} lines`] : []),
  },
  {
    sentence: 'A file opens with a comment that says what it is and what it guards.',
    broken: (file) => (/^\/\/ \S/.test(file.text) ? [] : ['no comment on the first line']),
  },
  {
    sentence: 'What was collected is read through store/read alone: no other room names a table of metrics.',
    broken: (file) => (READERS.includes(file.room) ? (file.text.match(METRICS_TABLE) ?? []) : []),
  },
  {
    sentence:
      'Of the store, whoever reads uses the doors of store/read, and what is listed as not being a read.',
    broken: (file) =>
      READERS.includes(file.room)
        ? targets(file).filter((target) => roomOf(target) === 'store' && !STORE_OPEN.test(target))
        : [],
  },
  {
    sentence: 'What store/read is made of is used by itself and its doors alone, and knows of no door.',
    broken: (file) => {
      const isInside = floorOf(file.path) === 'read';
      return targets(file).filter(
        (target) =>
          floorOf(target) === 'read' && (isInside ? isDoor(target) && !isDoor(file.path) : !isDoor(target)),
      );
    },
  },
  {
    sentence:
      'The API driver knows no operation, path or constraint: contracts and rooms say what is theirs.',
    broken: (file) =>
      file.room === 'api' && !file.isGenerated && !file.path.startsWith('api/utilities/')
        ? [...roomWordsOf(file), ...targets(file).filter((target) => target.endsWith('.contract.ts'))]
        : [],
  },
  {
    sentence: 'A statement begins with its name in a comment, as /* room.verb */.',
    broken: (file) => file.text.match(/sql`\s*(?:select|insert|update|delete|with|truncate)\b.*/g) ?? [],
  },
];

describe('the house', () => {
  it.each(RULES.map((rule) => [rule.sentence, rule] as const))('%s', (_sentence, { broken }) => {
    const found = product.flatMap((file) => broken(file).map((what) => `${file.path}: ${what}`));
    expect(found).toEqual([]);
  });

  it('Helpers of tests and benches have at most 300 lines like the product, and tests 500.', () => {
    const long = files.filter(
      ({ lines, isGenerated, isTest }) => !isGenerated && lines > (isTest ? 500 : 300),
    );
    expect(long.map(({ path, lines }) => `${path}: ${lines} lines`)).toEqual([]);
  });

  it('Rooms do not use each other in a circle.', () => {
    const edges = new Map<string, Set<string>>();
    for (const file of product) {
      const own = areaOf(file.path);
      if (own === undefined) continue;
      const others = targets(file).flatMap((target) => areaOf(target) ?? []);
      edges.set(own, new Set([...(edges.get(own) ?? []), ...others.filter((other) => other !== own)]));
    }
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      [...(edges.get(from) ?? [])].some(
        (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
      );
    expect([...edges.keys()].filter((room) => reaches(room, room))).toEqual([]);
  });

  it('There are at most 12 rooms under the drivers, on 8 floors, with 35 arrows, and none points back.', () => {
    const { floors, arrows } = roomMap(product, DOMAIN);
    expect(DOMAIN.length).toBeLessThanOrEqual(12);
    expect(floors).toBeLessThanOrEqual(8);
    expect(arrows.size).toBeLessThanOrEqual(35);
    expect(arrows.size).toBeGreaterThan(20);
  });

  it('The read side of the store grows in no way: files, lines, doors, and what an answer about metrics walks through.', () => {
    const own = product.filter(({ path }) => floorOf(path) === 'read');
    const byPath = new Map(own.map((file) => [file.path, file]));
    const walk = new Set<string>();
    const step = (path: string): void => {
      const file = byPath.get(path);
      if (!file || walk.has(path)) return;
      walk.add(path);
      for (const { target, isTypeOnly } of file.imports) if (!isTypeOnly) step(target);
    };
    step('store/read/metric.ts');
    const left = new Set(byPath.keys());
    const isFree = (path: string) =>
      targets(byPath.get(path) ?? expect.fail()).every((one) => !left.has(one));
    for (let free = [...left].filter(isFree); free.length > 0; free = [...left].filter(isFree))
      for (const path of free) left.delete(path);
    expect(
      [...left],
      'files of the read side that import each other in a circle, and what needs them',
    ).toEqual([]);
    expect(own.filter(({ path }) => isDoor(path)).length).toBeLessThanOrEqual(READ_SIDE.doors);
    expect(own.length).toBeLessThanOrEqual(READ_SIDE.files);
    expect(own.reduce((sum, { lines }) => sum + lines, 0)).toBeLessThanOrEqual(READ_SIDE.lines);
    expect(walk.size).toBeLessThanOrEqual(READ_SIDE.walk);
    expect(walk.size).toBeGreaterThan(10);
  });

  it('Every operation and every file of a catalog can be reached.', async () => {
    expect((await findOperations()).map(({ name }) => name)).toEqual(operations.map(({ id }) => id));
    for (const kind of FILE_KINDS) {
      const catalog = files.find(({ path }) => path === `${kind.folder}/catalog.gen.ts`);
      const listed = targets(catalog ?? expect.fail()).map((target) =>
        target.slice(kind.folder.length + 1, -3),
      );
      expect(listed).toEqual(await membersOf(kind));
      expect(listed.length).toBeGreaterThan(0);
    }
  });

  it('Tests and the indexes of scenes alone load scenes and helpers of tests, so that no program has them.', () => {
    const helpers = /\.(?:scene|test)\.ts$|^testing\//;
    const loading = product.filter((file) => targets(file).some((target) => helpers.test(target)));
    expect(loading.map(({ path }) => path)).toEqual([]);
    expect(files.filter(({ path }) => path.endsWith('.scene.ts')).length).toBeGreaterThan(70);
  });

  it('Migrations are numbered one after the other.', () => {
    const names = readdirSync(new URL('../migrations', import.meta.url)).filter((name) =>
      name.endsWith('.sql'),
    );
    const numbers = names.map((name) => Number(name.slice(0, 4))).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it('Every advisory lock has a key of its own, written 7264 and three digits.', () => {
    const locking = product.filter(({ text }) => /\bpg_(?:try_)?advisory_\w*\(/.test(text));
    const keys = locking.map(({ path, text }) => ({ path, keys: text.match(/\b7_?264_?\d{3}\b/g) ?? [] }));
    expect(keys.filter((file) => file.keys.length === 0)).toEqual([]);
    const all = keys.flatMap((file) => file.keys.map((key) => key.replaceAll('_', '')));
    expect(all.filter((key, index) => all.indexOf(key) !== index)).toEqual([]);
    expect(all.length).toBeGreaterThan(0);
  });

  it('The rules look at code, not at prose.', () => {
    expect(codeOf("const a = 'console.log'; // process.env\n/* Date.now */ b(`x 1`);")).toBe(
      "const a = '';  \n  b(``);",
    );
    expect(textsOf("a('/one', \"two\"); // 'three'\nb(/four\\/v1/, `five`);")).toEqual([
      '/one',
      'two',
      'five',
    ]);
    const calls = `a(...b, 1); c.push(d, ...e(f)); new G(
      ...h,
    ); i([...j], { ...k }); const l = (...m: N[]) => o(m); function p(q: Q, ...r: R[]): void {} if (s) [...t]; u ? v(...w) : x;`;
    expect(spreadArguments(calls)).toEqual(['a(...b, 1)', 'c.push(d, ...e(f))', 'G( ...h, )', 'v(...w)']);
    const imports = files.find(({ path }) => path === 'api/server.ts')?.imports.map(({ target }) => target);
    expect(imports).toContain('fastify');
    expect(imports).toContain('kernel/errors.ts');
  });
});
