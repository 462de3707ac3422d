// Whether the log of a server is read, in its coverage, with what makes it so.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { show } from '../../../testing/show.tsx';
import { LogSource } from './coverage-view.tsx';

const READING = { format: null, since: null, looked_at: null, read_until: null } as const;

it('says why the log is not read, with the command that makes it so', () => {
  const reason = 'mon may not list log files: it lacks pg_monitor.';
  show(<LogSource log={{ ...READING, state: 'unreadable', reason, mend: 'grant pg_monitor to mon;' }} />);
  const panel = within(screen.getByRole('region', { name: 'Server log' }));
  panel.getByText('Not readable');
  panel.getByText(reason);
  panel.getByText('grant pg_monitor to mon;');
});

it('says that it is read, and nothing of a server that does not say it', () => {
  const { unmount } = show(<LogSource log={{ ...READING, state: 'reading', reason: null, mend: null }} />);
  screen.getByText('Read');
  unmount();
  show(<LogSource log={undefined} />);
  expect(screen.queryByRole('region', { name: 'Server log' })).toBeNull();
});
