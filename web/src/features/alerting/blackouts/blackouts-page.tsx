// Silences (blackouts of the API): when which part of the estate is kept quiet, as a list and as a calendar, and the schedules that make them.
import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useUrlChoice, useUrlTexts } from '../../../lib/url-state.ts';
import { typed } from '../../../ui/field.ts';
import { AddIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useTopology } from '../../estate/clusters/use-topology.ts';
import { useEstate } from '../../estate/estate/use-estate.ts';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { NewBlackoutDialog } from './blackout-dialogs.tsx';
import { BlackoutList } from './blackout-list.tsx';
import { type BlackoutScope, placeOfServer, placesOf } from './blackout-scopes.ts';
import { ESTATE, type TargetDraft } from './blackout-words.ts';
import classes from './blackouts.module.css';
import { Calendar } from './calendar.tsx';
import { ClusterCalendar } from './cluster-calendar.tsx';
import { ScheduleDialog } from './schedule-dialogs.tsx';
import { ScheduleList } from './schedule-list.tsx';
import { useInForce } from './use-blackouts.ts';

const TABS = [
  { key: 'list', title: 'List' },
  { key: 'calendar', title: 'Calendar' },
  { key: 'clusters', title: 'By cluster' },
  { key: 'schedules', title: 'Schedules' },
];
const KEYS = ['list', 'calendar', 'clusters', 'schedules'] as const;

const BARE = { id: '', name: '', cluster: undefined, group: 0, isLone: true };

interface Chosen {
  /** As the filter and the address name it; empty: everything. */
  key: string;
  place: BlackoutScope | undefined;
  /** What a new blackout is for at first. */
  target: TargetDraft;
  /** It is not known yet which servers a cluster has. */
  isWaiting: boolean;
}

const EVERYTHING: Chosen = { key: '', place: undefined, target: ESTATE, isWaiting: false };

/** A cluster or a server, as the address says. */
function usePlace(): { places: readonly BlackoutScope[]; chosen: Chosen; choose: (key: string) => void } {
  const topology = useTopology();
  const [textOf, set] = useUrlTexts(['server', 'cluster']);
  const places = placesOf(topology.data ?? []);
  const choose = (key: string) =>
    set({ server: /^\d+$/.test(key) ? key : '', cluster: /^\d*$/.test(key) ? '' : key });
  const [server, cluster] = [textOf('server'), textOf('cluster')];
  if (/^[1-9]\d{0,8}$/.test(server)) {
    const id = Number(server);
    const place = placeOfServer(places, id) ?? { ...BARE, servers: [id] };
    const target = { scope: 'server' as const, id: server, database: '' };
    return { places, choose, chosen: { key: server, place, target, isWaiting: false } };
  }
  if (cluster === '') return { places, choose, chosen: EVERYTHING };
  const place = places.find(({ id }) => id === cluster);
  const stored = place?.cluster;
  const target =
    stored === undefined ? ESTATE : { scope: 'cluster' as const, id: String(stored), database: '' };
  return {
    places,
    choose,
    chosen: { key: place ? cluster : '', place, target, isWaiting: topology.isPending },
  };
}

interface PlaceFilterProps {
  places: readonly BlackoutScope[];
  chosen: string;
  onChoose: (key: string) => void;
}

function PlaceFilter({ places, chosen, onChoose }: PlaceFilterProps) {
  const servers = useEstate().data?.servers ?? [];
  const clusters = places.filter(({ isLone }) => !isLone).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <search className={classes.filter} aria-label="Filter">
      <NativeSelect
        aria-label="Show only what holds for this cluster or server"
        data={[
          { value: '', label: 'Everything' },
          ...(clusters.length > 0 ? [{ group: 'Clusters', items: clusters }] : []),
          {
            group: 'Servers',
            items: servers
              .toSorted((a, b) => a.name.localeCompare(b.name))
              .map(({ connection_id, name }) => ({ value: String(connection_id), label: name })),
          },
        ]}
        {...typed(chosen, onChoose)}
      />
    </search>
  );
}

type Open = 'blackout' | 'schedule' | undefined;

export function BlackoutsPage() {
  const [here] = useUrlChoice('tab', KEYS, 'list');
  const { places, chosen, choose } = usePlace();
  const wanted = { place: chosen.place };
  const mayManage = mayUse(useUser().data, 'manage_blackouts');
  const inForce = useInForce(wanted);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { target, isWaiting } = chosen;
  const count = inForce.data?.total_count ?? 0;
  return (
    <>
      <PageHeader
        title="Silences"
        facts={inForce.data ? (count === 0 ? 'Nothing is silenced now' : `${count} in force`) : '\u00a0'}
        actions={
          mayManage ? (
            <>
              <Button variant="default" onClick={() => setOpen('schedule')}>
                New schedule
              </Button>
              <Button leftSection={<AddIcon size={16} />} onClick={() => setOpen('blackout')}>
                New silence
              </Button>
            </>
          ) : undefined
        }
      />
      <Tabs label="Views of silences" tabs={TABS} here={here} />
      <div className={layout.stack}>
        {here === 'schedules' ? null : <PlaceFilter places={places} chosen={chosen.key} onChoose={choose} />}
        {here === 'list' && !isWaiting ? <BlackoutList wanted={wanted} mayManage={mayManage} /> : null}
        {here === 'calendar' && !isWaiting ? <Calendar wanted={wanted} /> : null}
        {here === 'clusters' && !isWaiting ? <ClusterCalendar wanted={wanted} places={places} /> : null}
        {here === 'schedules' ? <ScheduleList mayManage={mayManage} /> : null}
      </div>
      <NewBlackoutDialog opened={open === 'blackout'} target={target} onClose={close} />
      <ScheduleDialog opened={open === 'schedule'} schedule={undefined} target={target} onClose={close} />
    </>
  );
}
