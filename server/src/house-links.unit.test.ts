// Links that the server makes to pages of the web interface, held against its routes and against what these pages read of an address:
// a name that no page reads, or an instant without its window, would lead somewhere else than the sentence beside it says.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { momentPage as momentOfAnswer, pageOf, windowOf } from './assistant/answers/answer-texts.ts';
import { momentPage, spanPage, timelinePage } from './assistant/tools/support/pages.ts';

const SERVER = import.meta.dirname;
const WEB = path.resolve(SERVER, '../../web/src');

const textsOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.(test|gen)\.tsx?$/.test(file))
    .map((file) => ({ file, text: readFileSync(path.join(folder, file), 'utf8') }));
const groupsOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, one = '']) => one);

const ROUTES = groupsOf(readFileSync(path.join(WEB, 'app/pages.ts'), 'utf8'), /^ {4}path: '([^']+)'/gm);
const TABS = groupsOf(
  readFileSync(path.join(WEB, 'features/insight/servers/server-tabs.tsx'), 'utf8'),
  /^ {2}\{ key: '(\w+)'/gm,
);
const TIME = ['from', 'to', 'at', 'range'];
/** What pages read of an address beyond the time; each stands in the file of the web that reads it. */
const READ: Readonly<Record<string, { file: string; names: readonly string[] }>> = {
  '/servers/:id': { file: 'features/insight/servers/server-page.tsx', names: ['tab'] },
  '/servers/:id/queries/:queryid': { file: 'features/history/queries/statement-plans.tsx', names: ['plan'] },
  '/timeline': { file: 'features/insight/timeline/timeline-page.tsx', names: [] },
  '/alerts': { file: 'features/alerting/alerts/use-alerts.ts', names: ['server'] },
  '/alerts/rules': { file: 'features/estate/overrides/use-scopes.ts', names: ['scope', 'of'] },
};
/** Parts of a server's page that show a moment, and those that show a window. */
const MOMENTS = ['sessions', 'locks', 'load'];

const routeOf = (pathname: string) =>
  ROUTES.find((one) => one === pathname) ??
  ROUTES.find((one) => new RegExp(`^${one.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname));

/** What is wrong with a link; nothing where it opens what it names. */
function faultsOf(link: string): string[] {
  const { pathname, searchParams: search } = new URL(link, 'http://matriarch.invalid');
  const route = routeOf(pathname);
  if (route === undefined) return [`${link}: no such page`];
  const known = [...(READ[route]?.names ?? []), ...(READ[route] ? TIME : [])];
  const faults = [...search.keys()]
    .filter((name) => !known.includes(name))
    .map((name) => `${link}: ${route} does not read ${name}`);
  const tab = search.get('tab');
  if (tab !== null && !TABS.includes(tab)) faults.push(`${link}: no such part of a server's page`);
  if (search.has('at') && !(search.has('from') && search.has('to')))
    faults.push(`${link}: an instant is read only within a window`);
  if (search.has('at') && !MOMENTS.includes(tab ?? '')) faults.push(`${link}: this part shows no moment`);
  return faults;
}

const AT = Date.parse('2026-11-20T10:15:00Z');
const asked = { connection_id: 7, from: AT - 3_600_000, to: AT, isNow: false };

/** Every text in the code that begins as an address of a page; what is put in becomes a number. */
function writtenLinks(): string[] {
  const first = [...new Set(ROUTES.map((one) => one.split('/')[1]))].filter(Boolean).join('|');
  const page = new RegExp(`['\`](/(?:${first})(?:[/?](?:[^'\`\\s]*))?)['\`]`, 'g');
  const known = ['assistant/tools', 'assistant/answers', 'assistant/chat'].flatMap((room) =>
    textsOf(path.join(SERVER, room)),
  );
  return known
    .flatMap(({ text }) => groupsOf(text, page))
    .map((one) =>
      // Which parts are named to the functions that make pages is in `madeLinks`.
      one
        .replace(/=\$\{tab\}/, '=load')
        .replace(/\$\{(?:search|timeOf|windowOf).*$/, `${windowOf(asked)}`)
        .replaceAll(/\$\{[^}]*\}/g, '7'),
    );
}

/** The parts that are named where a page is made by its function, and what these make of them. */
function madeLinks(): string[] {
  const texts = ['assistant/tools', 'assistant/answers'].flatMap((room) => textsOf(path.join(SERVER, room)));
  const tabsIn = (pattern: RegExp) => texts.flatMap(({ text }) => groupsOf(text, pattern));
  return [
    ...tabsIn(/pageOf\(asked, '(\w+)'/g).map((tab) => pageOf(asked, tab)),
    ...tabsIn(/momentPage\(asked, '(\w+)'/g).map((tab) => momentOfAnswer(asked, tab)),
    ...tabsIn(/momentPage\(connection_id, '(\w+)'/g).map((tab) =>
      momentPage(7, tab, new Date(AT).toISOString()),
    ),
    ...tabsIn(/spanPage\(connection_id, '(\w+)'/g).map((tab) => spanPage(7, tab, asked)),
    ...[undefined, 7].map((id) => timelinePage(id, asked)),
  ];
}

it('every link of tools, answers and the chat opens a page that reads all that it names', () => {
  const [written, made] = [writtenLinks(), madeLinks()];
  expect([written.length > 20, made.length > 8]).toEqual([true, true]);
  expect([...written, ...made].flatMap(faultsOf)).toEqual([]);
});

it('tells links that would lead elsewhere', () => {
  const faults = [
    '/nowhere',
    '/servers/1?tab=nothing',
    '/servers/1?tab=findings&finding=7',
    '/servers/1?tab=locks&at=2026-11-20T10:15:00Z',
    '/servers/1?tab=activity&from=a&to=b&at=c',
    '/findings?from=a',
  ].map(faultsOf);
  expect(faults.map((one) => one.length)).toEqual([1, 1, 1, 1, 1, 1]);
});

it('pages read what is said here that they read', () => {
  const time = readFileSync(path.join(WEB, 'lib/time-window.ts'), 'utf8');
  expect(TIME.filter((name) => !time.includes(`search.get('${name}')`))).toEqual([]);
  expect(TABS.length).toBeGreaterThan(10);
  expect(MOMENTS.filter((tab) => !TABS.includes(tab))).toEqual([]);
  for (const [route, { file, names }] of Object.entries(READ)) {
    expect(ROUTES).toContain(route);
    const text = readFileSync(path.join(WEB, file), 'utf8');
    expect(names.filter((name) => !text.includes(`'${name}'`))).toEqual([]);
  }
});
