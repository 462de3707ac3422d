// What a question asks about: the servers and the time of the page, said and widened, followed when the page changes.
import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useOperation } from '../../../api/use-operation.ts';
import { alert } from '../../../testing/alert.ts';
import { startApi } from '../../../testing/api.ts';
import { answered } from '../../../testing/chat-runs.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { show } from '../../../testing/show.tsx';
import { ChatPanel } from './chat-panel.tsx';

const ANSWERS = {
  ...EVERYWHERE,
  listChatQuestions: { is_model: true, questions: [], findings: [] },
  startChatRun: answered(1, 'So it is.'),
};

async function open(at: string) {
  const api = await startApi(ANSWERS);
  const shown = show(<ChatPanel opened onClose={() => {}} />, { at });
  const line = await screen.findByRole('region', { name: 'What is asked about' });
  const says = (words: RegExp) => expect.poll(() => line.textContent).toMatch(words);
  const asks = async () => {
    await shown.user.type(screen.getByRole('textbox', { name: 'Question' }), 'Why?{Enter}');
    await screen.findByRole('button', { name: 'Ask' });
    return api.sent.findLast(({ operation }) => operation === 'startChatRun')?.body;
  };
  const press = (name: string) => shown.user.click(screen.getByRole('button', { name }));
  return { ...shown, says, asks, press };
}

it.each([
  ['/servers/1?tab=locks', /^About server orders-primary/, { kind: 'server', id: 1 }],
  ['/servers/3/queries/77', /^About server billing/, { kind: 'server', id: 3 }],
  ['/clusters/cluster-4', /^About cluster orders/, { kind: 'cluster', id: 4 }],
  ['/clusters/server-3', /^About server billing/, { kind: 'server', id: 3 }],
  ['/alerts?cluster=4', /^About cluster orders/, { kind: 'cluster', id: 4 }],
  ['/findings?server=2', /^About server orders-standby/, { kind: 'server', id: 2 }],
  ['/timeline?servers=2', /^About server orders-standby/, { kind: 'server', id: 2 }],
  ['/timeline?servers=1,2', /^About the estate$/, { kind: 'estate' }],
  ['/servers/new', /^About the estate$/, { kind: 'estate' }],
  ['/', /^About the estate$/, { kind: 'estate' }],
])('at %s it says %s and asks so', async (at, words, scope) => {
  const { says, asks } = await open(at);
  await says(words);
  expect(await asks()).toEqual({ message: 'Why?', scope, page: at });
});

it('is widened to the estate and any time, and follows the page when it changes', async () => {
  const at = '/servers/1?from=2026-11-22T10:00:00Z&to=2026-11-22T11:00:00Z&zone=utc';
  const { says, asks, press, router } = await open(at);
  await says(/orders-primary, 2026-11-22 10:00:00 – 11:00:00/);
  const time = { start: '2026-11-22T10:00:00.000Z', end: '2026-11-22T11:00:00.000Z' };
  expect(await asks()).toMatchObject({ scope: { kind: 'server', id: 1 }, time });
  await press('Ask about the estate');
  await press('Of any time');
  await says(/^About the estate, of any time/);
  const wide = await asks();
  expect(wide).toMatchObject({ scope: { kind: 'estate' } });
  expect(wide).not.toHaveProperty('time');
  await press('Back to orders-primary');
  await press('Only of the time shown');
  expect(await asks()).toMatchObject({ scope: { kind: 'server', id: 1 }, time });
  await press('Ask about the estate');
  await act(() => router.navigate('/servers/3?range=24h'));
  await says(/^About server billing, the last 24 hours/);
  const day = JSON.stringify(await asks());
  expect(day).toContain('"scope":{"kind":"server","id":3}');
  const [, start = '', end = ''] = /"start":"([^"]+)","end":"([^"]+)"/.exec(day) ?? [];
  expect(Date.parse(end) - Date.parse(start)).toBe(24 * 3_600_000);
});

it('is the server of the alert whose page it is, once that page knows it', async () => {
  await startApi({ ...ANSWERS, getAlert: { alert: alert(7, { connection_id: 3 }), events: [] } });
  const Page = () => useOperation('getAlert', { params: { id: 7 } }).data?.alert.title ?? 'Loading';
  const page = (
    <>
      <Page />
      <ChatPanel opened onClose={() => {}} />
    </>
  );
  show(page, { at: '/alerts/7' });
  const line = await screen.findByRole('region', { name: 'What is asked about' });
  await expect.poll(() => line.textContent).toMatch(/^About server billing/);
});
