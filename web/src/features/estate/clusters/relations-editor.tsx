// Relationships that people set, for what detection cannot see. Each change replaces what was set for one server, and
// leaves alone what was detected.
import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, call } from '../../../api/client.ts';
import { FormError } from '../../../ui/form-error.tsx';
import { AddIcon } from '../../../ui/icons.ts';
import { Panel } from '../../../ui/panel.tsx';
import classes from './cluster-page.module.css';
import { keyOf } from './link-words.ts';
import {
  type Cluster,
  type ClusterLink,
  RELATION_WORDS,
  type RelationshipType,
  type Server,
  storedId,
} from './model.ts';

const TYPES: readonly RelationshipType[] = ['streams_from', 'subscribes_to', 'replicates_with'];

interface RelationRequest {
  source: number;
  target: number;
  type: RelationshipType;
}

function useSetting(cluster: Cluster, links: readonly ClusterLink[]) {
  const client = useQueryClient();
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  /** All that is to be set for a server. */
  const set = async (source: number, wanted: readonly RelationRequest[]): Promise<boolean> => {
    setBusy(true);
    setError(null);
    try {
      const id =
        storedId(cluster.id) ??
        (await call('updateCluster', { params: { id: cluster.id }, body: { dismissed: false } })).id;
      await call('setConnectionRelationships', {
        params: { id, connId: source },
        body: {
          relationships: wanted.map(({ target, type }) => ({
            target_connection_id: target,
            relationship_type: type,
          })),
        },
      });
      await Promise.all(
        ['getTopology', 'getClusterTopologyDetail', 'getConnectionCluster'].map((name) =>
          client.invalidateQueries({ queryKey: [name] }),
        ),
      );
      return true;
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const manualOf = (source: number): RelationRequest[] =>
    links
      .filter((link) => link.is_manual && link.source_connection_id === source)
      .map((link) => ({ source, target: link.target_connection_id, type: link.relationship_type }));
  return { set, manualOf, isBusy, error };
}

export interface RelationsProps {
  cluster: Cluster;
  servers: readonly Server[];
  links: readonly ClusterLink[];
  nameOf: (id: number) => string;
}

function AddRelation({
  servers,
  onAdd,
  isBusy,
}: Pick<RelationsProps, 'servers'> & {
  onAdd: (wanted: RelationRequest) => Promise<boolean>;
  isBusy: boolean;
}) {
  const [source, setSource] = useState(servers[1]?.id ?? 0);
  const [type, setType] = useState<RelationshipType>('streams_from');
  const [target, setTarget] = useState(servers[0]?.id ?? 0);
  const choices = servers.map(({ id, name }) => ({ value: String(id), label: name }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onAdd({ source, target, type });
  };
  return (
    <form className={classes.add} onSubmit={submit}>
      <NativeSelect
        label="Server"
        value={String(source)}
        data={choices}
        onChange={(event) => setSource(Number(event.target.value))}
      />
      <NativeSelect
        label="Relationship"
        value={type}
        data={TYPES.map((value) => ({ value, label: RELATION_WORDS[value] }))}
        onChange={(event) => setType(TYPES.find((one) => one === event.target.value) ?? 'streams_from')}
      />
      <NativeSelect
        label="Other server"
        value={String(target)}
        data={choices}
        error={source === target ? 'Choose two servers.' : undefined}
        onChange={(event) => setTarget(Number(event.target.value))}
      />
      <Button
        type="submit"
        variant="default"
        leftSection={<AddIcon size={15} />}
        disabled={source === target}
        loading={isBusy}
      >
        Add
      </Button>
    </form>
  );
}

export function RelationsEditor({ cluster, servers, links, nameOf }: RelationsProps) {
  const { set, manualOf, isBusy, error } = useSetting(cluster, links);
  const manual = links.filter(({ is_manual }) => is_manual);
  return (
    <Panel title="Set by hand" note="relationships that detection cannot see">
      {manual.length > 0 ? (
        <ul className={classes.manual}>
          {manual.map((link) => {
            const words = `${nameOf(link.source_connection_id)} ${RELATION_WORDS[link.relationship_type]} ${nameOf(link.target_connection_id)}`;
            const others = manualOf(link.source_connection_id).filter(
              ({ target, type }) => target !== link.target_connection_id || type !== link.relationship_type,
            );
            return (
              <li key={keyOf(link)} className={classes.manualRow}>
                <span>{words}</span>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Remove: ${words}`}
                  disabled={isBusy}
                  onClick={() => void set(link.source_connection_id, others)}
                >
                  Remove
                </Button>
              </li>
            );
          })}
        </ul>
      ) : null}
      <FormError error={error} />
      {servers.length > 1 ? (
        <AddRelation
          servers={servers}
          isBusy={isBusy}
          onAdd={(wanted) => set(wanted.source, [...manualOf(wanted.source), wanted])}
        />
      ) : (
        <p className={classes.reason}>A relationship needs two servers.</p>
      )}
    </Panel>
  );
}
