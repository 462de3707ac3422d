// What is looked for on the timeline: kinds of events and servers.
import { NativeSelect } from '@mantine/core';
import { STEADY_MS, useOperation } from '../../../api/use-operation.ts';
import { CloseIcon } from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import classes from './timeline.module.css';
import { KIND_WORDS, KINDS, type Kind, type TimelineFilter } from './timeline-words.ts';

export interface TimelineFiltersProps {
  wanted: TimelineFilter;
  onWant: (wanted: Partial<TimelineFilter>) => void;
  /** Whether servers can be chosen. */
  ofEstate: boolean;
}

function Kinds({ kinds, onKinds }: { kinds: readonly Kind[]; onKinds: (kinds: Kind[]) => void }) {
  return (
    <fieldset className={classes.chips}>
      <legend className="visually-hidden">Show only these kinds of events</legend>
      {KINDS.map((kind) => {
        const isChosen = kinds.includes(kind);
        return (
          <button
            key={kind}
            type="button"
            className={classes.chip}
            aria-pressed={isChosen}
            onClick={() => onKinds(KINDS.filter((one) => (one === kind ? !isChosen : kinds.includes(one))))}
          >
            {KIND_WORDS[kind]}
          </button>
        );
      })}
    </fieldset>
  );
}

interface ServersProps {
  servers: readonly number[];
  onServers: (servers: readonly number[]) => void;
}

function Servers({ servers, onServers }: ServersProps) {
  const known = useOperation('getEstate', {}, { everyMs: STEADY_MS }).data?.servers ?? [];
  const nameOf = (id: number) =>
    known.find(({ connection_id }) => connection_id === id)?.name ?? `Server ${id}`;
  const others = known
    .filter(({ connection_id }) => !servers.includes(connection_id))
    .toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <div className={classes.servers}>
      <NativeSelect
        aria-label="Show only this server"
        data={[
          { value: '', label: servers.length === 0 ? 'Every server' : 'Another server…' },
          ...others.map(({ connection_id, name }) => ({ value: String(connection_id), label: name })),
        ]}
        value=""
        onChange={(event) => onServers([...servers, Number(event.target.value)].filter((id) => id > 0))}
      />
      {servers.map((id) => (
        <button
          key={id}
          type="button"
          className={classes.chosen}
          aria-label={`Leave out ${nameOf(id)}`}
          onClick={() => onServers(servers.filter((one) => one !== id))}
        >
          <Name>{nameOf(id)}</Name>
          <CloseIcon size={13} aria-hidden="true" />
        </button>
      ))}
    </div>
  );
}

export function TimelineFilters({ wanted, onWant, ofEstate }: TimelineFiltersProps) {
  return (
    <search className={classes.filters} aria-label="Filters">
      <Kinds kinds={wanted.kinds} onKinds={(kinds) => onWant({ kinds })} />
      {ofEstate ? <Servers servers={wanted.servers} onServers={(servers) => onWant({ servers })} /> : null}
    </search>
  );
}
