// Findings as they are shown: in one table, open beside it, with filters in the address, empty with its reason, one
// with its evidence and what it brought, muted and unmuted, and checks. Texts of servers stay texts.
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Shell } from '../../../app/shell.tsx';
import { type Answers, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { ExplainCalls } from '../../../testing/explain.tsx';
import { ADMIN, show } from '../../../testing/show.tsx';
import { EstatePage } from '../estate-page/estate-page.tsx';
import { ChecksPage } from './checks-page.tsx';
import { figureLine } from './figure-line.ts';
import { FindingPage } from './finding-page.tsx';
import type { Finding, FindingDetail } from './finding-words.ts';
import { FindingsPage } from './findings-page.tsx';
import { FindingsView } from './findings-view.tsx';
import { muteFault } from './mute-dialog.tsx';

const AT = '2026-11-20T10:00:00.000Z';
const HOSTILE = '<img src=x onerror="window.hit=1">';

const finding = (id: number, more: Partial<Finding> = {}): Finding => ({
  id,
  connection_id: 1,
  server_name: 'orders-primary',
  check: 'duplicate_index',
  category: 'indexes',
  title: 'Index that another one makes superfluous',
  database_name: 'shop',
  object_name: `public.${HOSTILE}`,
  severity: 'info',
  state: 'open',
  message: `The index public.${HOSTILE} is covered.`,
  figure: 224_395_264,
  figure_unit: 'bytes',
  proof: 'stated',
  first_seen_at: AT,
  opened_at: AT,
  last_seen_at: AT,
  figured_at: AT,
  resolved_at: null,
  muted_until: null,
  ...more,
});

const fsync = finding(2, {
  connection_id: 3,
  server_name: 'billing',
  check: 'fsync_off',
  category: 'settings',
  title: 'fsync is off',
  severity: 'critical',
  message: 'fsync is off.',
  figure: null,
  figure_unit: null,
});

const CHECK = {
  name: 'duplicate_index',
  category: 'indexes',
  title: 'Index that another one makes superfluous',
  figure_name: 'index size',
  meaning: 'Every write keeps both indexes up.',
  advice: 'Drop it.',
  caution: 'It may be larger.',
  proof: 'stated',
  documentation_url: 'https://www.postgresql.org/docs/current/indexes-multicolumn.html',
} as const;

const SCORE = {
  check: CHECK,
  open: 2,
  muted: 0,
  resolved: 3,
  confirmed: 1,
  promised: 2_097_152,
  measured: 1_048_576,
  figure_unit: 'bytes',
};

const detail = (more: Partial<FindingDetail> = {}): FindingDetail => ({
  finding: finding(1),
  check: CHECK,
  evidence: { table: HOSTILE, index_size: 224_395_264, idx_scan: null },
  evidence_rows: [{ query: HOSTILE, calls: 12 }],
  counted_since: null,
  remedy: `drop index concurrently "${HOSTILE}";`,
  promised: 0,
  first_figure: 224_395_264,
  figure_after: null,
  figures: [{ at: AT, figure: 224_395_264, severity: 'info' }],
  mute: null,
  can_mute: true,
  ...more,
});

const COUNTS = {
  critical: 1,
  warning: 1,
  info: 1,
  by_server: {
    1: { critical: 0, warning: 1, info: 1, unknown: 2 },
    3: { critical: 1, warning: 0, info: 0, unknown: 0 },
  },
  unjudged: [2],
};

const LISTED = {
  findings: [fsync, finding(1)],
  total: 2,
  counts: COUNTS,
  servers: { judged: 2, waiting: 1, oldest_evaluated_at: AT },
};

const ANSWERS: Answers = {
  ...EVERYWHERE,
  countFindings: COUNTS,
  countAlerts: { total: 0, by_server: {}, by_cluster: {} },
  listChecks: [SCORE],
  listFindings: LISTED,
};

const hit = () => 'hit' in window;
const table = () => screen.findByRole('table', { name: 'Findings, the worst first' });
const rowsOf = async () =>
  within(await table())
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent ?? '');
const openOf = (name: RegExp) => screen.findByRole('link', { name });

describe('the findings of the estate', () => {
  it('are a row each, the gravest first, with object, figure and its meaning; what was not judged is folded', async () => {
    await startApi(ANSWERS);
    const { user, router } = show(<FindingsPage />, { at: '/findings' });
    await screen.findByText('index size');
    const [first, second, ...more] = await rowsOf();
    expect(more).toEqual([]);
    expect(first).toMatch(/^Criticalfsync is off.*fsync is off\.billing/);
    expect(second).toContain(`The index public.${HOSTILE} is covered.`);
    expect(second).toContain(`public.${HOSTILE}shop`);
    expect(second).toContain('214 MBindex size');
    expect(hit()).toBe(false);
    await screen.findByText(/^the oldest judged/);
    const missing = within(await screen.findByRole('region', { name: 'Not judged' }));
    expect(missing.getByRole('group').hasAttribute('open')).toBe(false);
    expect(missing.getByText('orders-primary').closest('a')?.getAttribute('href')).toBe(
      '/servers/1?tab=findings',
    );
    await user.click(within(await table()).getByRole('button', { name: 'Server' }));
    expect((await rowsOf())[0]).toContain('billing');
    expect(router.state.location.search).toBe('?sort=server');
  });

  it('open beside the list, where the address says so, and give the focus back to their row', async () => {
    await startApi({ ...ANSWERS, getFinding: detail() });
    const { user, router } = show(<FindingsPage />, { at: '/findings?state=open' });
    await user.click(await openOf(/^Index that another/));
    expect(router.state.location.search).toBe('?state=open&finding=1');
    const drawer = within(await screen.findByRole('dialog', { name: 'Finding' }));
    await drawer.findByText(detail().remedy);
    await drawer.findByRole('table', { name: 'Rows behind the finding' });
    await user.click(drawer.getByRole('button', { name: 'Mute' }));
    await screen.findByRole('dialog', { name: 'Mute the finding' });
    // The dialog over it goes first.
    await user.keyboard('{Escape}');
    await expect.poll(() => screen.queryByRole('dialog', { name: 'Mute the finding' })).toBeNull();
    expect(screen.getByRole('dialog', { name: 'Finding' })).toBeTruthy();
    await user.keyboard('{Escape}');
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
    expect(router.state.location.search).toBe('?state=open');
    await expect.poll(() => document.activeElement?.textContent).toContain('Index that another one');
  });

  it('are three hundred as quick as three: only those near the window are drawn', async () => {
    const findings = Array.from({ length: 300 }, (_none, at) => finding(at + 1));
    await startApi({ ...ANSWERS, listFindings: { ...LISTED, findings, total: 300 } });
    show(<FindingsPage />, { at: '/findings' });
    expect((await table()).getAttribute('aria-rowcount')).toBe('301');
    expect((await rowsOf()).length).toBeLessThan(100);
  });

  it('are asked for by what the address says', async () => {
    const api = await startApi(ANSWERS);
    const { user } = show(<FindingsPage />, { at: '/findings?severity=warning&category=nonsense' });
    await table();
    await user.selectOptions(screen.getByLabelText('State'), 'Resolved');
    const asked = () => api.sent.filter(({ operation }) => operation === 'listFindings').at(-1)?.path;
    await expect.poll(asked).toContain('state=resolved');
    expect(asked()).toContain('severity=warning');
    expect(asked()).not.toContain('category');
  });

  it('say that all is well only where something was judged', async () => {
    const none = { findings: [], total: 0, counts: { info: 0, warning: 0, critical: 0 } };
    const judged = { judged: 2, waiting: 1, oldest_evaluated_at: AT };
    const api = await startApi({ ...ANSWERS, listFindings: { ...none, servers: judged } });
    const { client } = show(<FindingsPage />);
    await screen.findByText('All is well: nothing was found');
    await screen.findByText(/2 servers were judged by 1 check; 1 server waits for it\./);
    const waiting = { judged: 0, waiting: 3, oldest_evaluated_at: null };
    api.answer({ listFindings: { ...none, servers: waiting } });
    await client.invalidateQueries();
    await screen.findByText('Nothing was judged yet');
  });
});

const UNKNOWN = {
  check: 'hba_trust',
  category: 'security',
  title: 'trust without a password',
  database_name: null,
  because: 'Who may log in is not known.',
  mend: 'grant pg_read_all_settings to matriarch;',
} as const;

it('a server says what could not be judged, why, and once what mends it', async () => {
  await startApi({
    ...ANSWERS,
    listConnectionFindings: {
      connection_id: 1,
      evaluated_at: AT,
      checks: 60,
      counts: { info: 0, warning: 0, critical: 0 },
      findings: [],
      total: 0,
      unknown: [
        { ...UNKNOWN, check: 'unused_index', title: 'Unused', because: 'It is too young.', mend: null },
        UNKNOWN,
        { ...UNKNOWN, check: 'hba_md5', title: 'md5 passwords' },
      ],
    },
  });
  show(<FindingsView id={1} />);
  await screen.findByText(/60 checks apply to this server; 3 of them could not be judged everywhere\./);
  const reasons = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(reasons[0]).toContain('Who may log in is not known.');
  expect(reasons[0]).toContain('2 checks: md5 passwords · trust without a password');
  expect(reasons[1]).toContain('It is too young.');
  await screen.findByText('grant pg_read_all_settings to matriarch;');
  expect(screen.getByRole('button', { name: 'Copy' })).toBeTruthy();
});

describe('a finding', () => {
  const page = (answers: Answers) =>
    startApi({ ...ANSWERS, ...answers }).then((api) => ({
      api,
      ...show(<FindingPage />, { at: '/findings/1', path: '/findings/:id' }),
    }));

  it('shows its evidence, its proof, what to do and what speaks against it, all as text', async () => {
    await page({ getFinding: detail() });
    await screen.findByRole('heading', { name: CHECK.title, level: 1 });
    await screen.findByText(detail().remedy);
    expect(screen.getByText('It may be larger.')).toBeTruthy();
    expect(screen.getByText('The server says so itself.')).toBeTruthy();
    expect(screen.getAllByText('214 MB').length).toBeGreaterThan(1);
    const rows = within(screen.getByRole('table', { name: 'Rows behind the finding' }));
    expect(rows.getByText(HOSTILE)).toBeTruthy();
    expect(document.querySelector('img')).toBeNull();
    expect(screen.getByRole('link', { name: 'PostgreSQL’s documentation' }).getAttribute('href')).toBe(
      CHECK.documentation_url,
    );
    expect(screen.queryByText('What it brought')).toBeNull();
  });

  it('of a statement shows its stored text, and leads to its figures; of anything else none is asked for', async () => {
    const queryid = '-4725382164029184731';
    const statement = {
      ...{ connection_id: 1, queryid, query: `select '${HOSTILE}' from orders`, is_own: false },
      ...{ first_seen: AT, last_seen: AT, start_time: AT, end_time: AT, compared_start_time: AT },
      ...{ bucket_seconds: 60, figures: [], series: [], places: [] },
      waits: { start_time: AT, end_time: AT, events: [], reason: null },
    };
    const of = finding(1, { category: 'statements' });
    const { api } = await page({
      getFinding: detail({ finding: of, evidence: { queryid } }),
      getQueryDetail: statement,
    });
    const region = within(await screen.findByRole('region', { name: 'The statement' }));
    await region.findByText(/select '<img/);
    expect(document.querySelector('img')).toBeNull();
    const path = region.getByRole('link').getAttribute('href');
    expect(path).toContain(`/servers/1/queries/${queryid}?from=2026-11-19`);
    expect(api.sent.some(({ path }) => path.includes(`/queries/${queryid}?`))).toBe(true);
  });

  it('says after it was resolved what that brought, against what was promised', async () => {
    const resolved = { state: 'resolved', resolved_at: AT, proof: 'confirmed' } as const;
    await page({ getFinding: detail({ finding: finding(1, resolved), figure_after: 0 }) });
    const effect = within(await screen.findByRole('region', { name: 'What it brought' }));
    effect.getByText('Confirmed');
    expect(effect.getAllByText('0 B')).toHaveLength(2);
  });

  it('is muted with a reason and an end, and unmuted', async () => {
    const { api, user } = await page({ getFinding: detail(), muteFinding: detail() });
    await user.click(await screen.findByRole('button', { name: 'Mute' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Mute the finding' }));
    await user.click(dialog.getByRole('button', { name: 'Mute' }));
    await dialog.findByText('A reason is needed, so that others know why.');
    await user.type(dialog.getByLabelText(/^Reason/), 'The report needs it.');
    await user.click(dialog.getByRole('button', { name: '1 week' }));
    const until = '2026-11-27T10:00:00.000Z';
    const mute = { muted_at: AT, muted_until: until, reason: 'The report needs it.', muted_by: 'anna' };
    const muted = detail({ finding: finding(1, { state: 'muted', muted_until: until }), mute });
    api.answer({ getFinding: muted, unmuteFinding: detail() });
    await user.click(dialog.getByRole('button', { name: 'Mute' }));
    const unmute = await screen.findByRole('button', { name: 'Unmute' });
    screen.getByText('The report needs it.');
    expect(api.sent.find(({ operation }) => operation === 'muteFinding')?.body).toMatchObject({
      reason: 'The report needs it.',
    });
    api.answer({ getFinding: detail() });
    await user.click(unmute);
    await screen.findByRole('button', { name: 'Mute' });
  });

  it('offers no mute to those who may only read', async () => {
    await page({ getFinding: detail({ can_mute: false }) });
    await screen.findByText('Muting needs read and write access to this server.');
    expect(screen.queryByRole('button', { name: 'Mute' })).toBeNull();
  });
});

it('a mute needs a reason and an end within a year', () => {
  const now = Date.parse(AT);
  const day = 86_400_000;
  expect(muteFault(undefined, { reason: 'x', now })).toContain('Until');
  expect(muteFault(now, { reason: 'x', now })).toContain('later than now');
  expect(muteFault(now + 400 * day, { reason: 'x', now })).toContain('a year');
  expect(muteFault(now + day, { reason: ' ', now })).toContain('reason');
  expect(muteFault(now + day, { reason: 'x', now })).toBeUndefined();
});

it('a figure holds until the next one and for two hours at most: the rest is a gap', () => {
  const hour = 3_600_000;
  const grid = { from: Date.parse(AT), to: Date.parse(AT) + 8 * hour, buckets: 8 };
  const at = (hours: number) => new Date(grid.from + hours * hour).toISOString();
  const figures = [
    { at: at(0), figure: 5, severity: 'info' },
    { at: at(1), figure: 7, severity: 'info' },
    { at: at(6), figure: 9, severity: 'info' },
  ] as const;
  expect(figureLine([...figures], { grid, lastSeen: grid.from + 6.5 * hour })).toEqual([
    5,
    7,
    7,
    7,
    null,
    null,
    9,
    null,
  ]);
});

it('checks stand with what came of them, and lead to their findings', async () => {
  await startApi(ANSWERS);
  const { user } = show(<ChecksPage />, { at: '/findings/checks' });
  const checks = within(await screen.findByRole('table', { name: 'Checks, by category' }));
  expect(checks.getByText('1 MB')).toBeTruthy();
  expect(checks.getByText('of 2 MB promised')).toBeTruthy();
  expect(checks.getByRole('link', { name: /^2 open of/ }).getAttribute('href')).toBe(
    '/findings?check=duplicate_index',
  );
  await user.type(screen.getByLabelText('Search checks'), 'vacuum');
  await screen.findByText('No check matches');
});

it('counts stand in the navigation and at each server of the estate', async () => {
  await startApi(ANSWERS);
  const { unmount } = show(<Shell user={ADMIN} />);
  const link = await screen.findByRole('link', { name: 'Findings 2 to look at' });
  expect(within(link).getByTitle(/^Critical and warnings\. Open findings: /)).toBeDefined();
  unmount();
  show(<EstatePage />);
  const rows = within(await screen.findByRole('table', { name: 'Servers with their state' }));
  const [first] = await rows.findAllByRole('link', { name: '1 findings: 1 critical' });
  expect(first?.getAttribute('href')).toBe('/servers/3?tab=findings');
  // Nothing found is not the same as not judged.
  expect(rows.getAllByText('Not judged yet')).toHaveLength(1);
});

it('a list that says something else than the counts has them read again', async () => {
  const newer = { info: 1, warning: 1, critical: 2 };
  const servers = { judged: 2, waiting: 0, oldest_evaluated_at: AT };
  const api = await startApi({
    ...ANSWERS,
    listFindings: { findings: [fsync], total: 1, counts: newer, servers },
  });
  show(<FindingsPage />);
  await table();
  const read = () => api.sent.filter(({ operation }) => operation === 'countFindings').length;
  await expect.poll(read).toBeGreaterThan(1);
});

it('a finding asks the chat about itself, with its evidence and its remedy', async () => {
  await startApi({ ...ANSWERS, getFinding: detail() });
  const asked = new ExplainCalls();
  const { user } = show(asked.around(<FindingPage />), { at: '/findings/1', path: '/findings/:id' });
  const { finding: known, evidence, remedy } = detail();
  await user.click(await screen.findByRole('button', { name: `Explain: ${known.title}` }));
  expect(asked.questions).toMatchObject([
    {
      message: expect.stringContaining(`the finding “${known.title}”`),
      scope: { kind: 'server', id: known.connection_id },
      about: { kind: 'finding', finding_id: known.id, message: known.message, evidence, remedy },
    },
  ]);
});
