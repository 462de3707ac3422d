// Blackouts: when which part of the estate is kept quiet, as a list and as a calendar, and the schedules that make them.
import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useUrlChoice, useUrlText } from '../../lib/url-state.ts';
import { AddIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { mayUse, useUser } from '../auth/use-user.ts';
import { useEstate } from '../estate/use-estate.ts';
import { NewBlackoutDialog } from './blackout-dialogs.tsx';
import { BlackoutList } from './blackout-list.tsx';
import { ESTATE, type TargetDraft } from './blackout-words.ts';
import classes from './blackouts.module.css';
import { Calendar } from './calendar.tsx';
import { ScheduleDialog } from './schedule-dialogs.tsx';
import { ScheduleList } from './schedule-list.tsx';
import { useInForce } from './use-blackouts.ts';

const TABS = [
  { key: 'list', title: 'List' },
  { key: 'calendar', title: 'Calendar' },
  { key: 'schedules', title: 'Schedules' },
];
const KEYS = ['list', 'calendar', 'schedules'] as const;

function ServerFilter({
  server,
  onServer,
}: {
  server: number | undefined;
  onServer: (text: string) => void;
}) {
  const servers = useEstate().data?.servers ?? [];
  return (
    <search className={classes.filter} aria-label="Filter">
      <NativeSelect
        aria-label="Show only what holds for this server"
        data={[
          { value: '', label: 'Every server' },
          ...servers
            .toSorted((a, b) => a.name.localeCompare(b.name))
            .map(({ connection_id, name }) => ({ value: String(connection_id), label: name })),
        ]}
        value={server === undefined ? '' : String(server)}
        onChange={(event) => onServer(event.target.value)}
      />
    </search>
  );
}

type Open = 'blackout' | 'schedule' | undefined;

export function BlackoutsPage() {
  const [here] = useUrlChoice('tab', KEYS, 'list');
  const [text, setServer] = useUrlText('server');
  const server = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
  const wanted = { server };
  const mayManage = mayUse(useUser().data, 'manage_blackouts');
  const inForce = useInForce(wanted);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const target: TargetDraft =
    server === undefined ? ESTATE : { scope: 'server', id: String(server), database: '' };
  const count = inForce.data?.total_count ?? 0;
  return (
    <>
      <PageHeader
        title="Blackouts"
        facts={inForce.data ? (count === 0 ? 'Nothing is kept quiet now' : `${count} in force`) : '\u00a0'}
        actions={
          mayManage ? (
            <>
              <Button variant="default" onClick={() => setOpen('schedule')}>
                New schedule
              </Button>
              <Button leftSection={<AddIcon size={16} />} onClick={() => setOpen('blackout')}>
                New blackout
              </Button>
            </>
          ) : undefined
        }
      />
      <Tabs label="Views of blackouts" tabs={TABS} here={here} />
      <div className={classes.stack}>
        {here === 'schedules' ? null : <ServerFilter server={server} onServer={setServer} />}
        {here === 'list' ? <BlackoutList wanted={wanted} mayManage={mayManage} /> : null}
        {here === 'calendar' ? <Calendar wanted={wanted} /> : null}
        {here === 'schedules' ? <ScheduleList mayManage={mayManage} /> : null}
      </div>
      <NewBlackoutDialog opened={open === 'blackout'} target={target} onClose={close} />
      <ScheduleDialog opened={open === 'schedule'} schedule={undefined} target={target} onClose={close} />
    </>
  );
}
