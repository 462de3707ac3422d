// Questions of the clusters page: where to move something, what to call it, whether to delete it and what that does.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { countOf } from '../../lib/format.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import classes from './clusters.module.css';
import { type Ask, useDesk } from './desk.ts';
import { groupNumber, isLone, isManual, serversOf } from './model.ts';

type Of<K extends Ask['kind']> = Extract<Ask, { kind: K }>;

interface FormProps {
  submit: string;
  isDangerous?: boolean;
  isReady?: boolean;
  onSubmit: () => Promise<boolean>;
  onClose: () => void;
  children: ReactNode;
}

function Form({ submit, isDangerous = false, isReady = true, onSubmit, onClose, children }: FormProps) {
  const { moves } = useDesk();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isReady && (await onSubmit())) onClose();
  };
  return (
    <form className={classes.form} onSubmit={send} noValidate>
      {children}
      <FormError error={moves.error} />
      <div className={classes.actions}>
        <Button
          type="submit"
          loading={moves.isBusy}
          disabled={!isReady}
          {...(isDangerous ? { color: 'red' } : {})}
        >
          {submit}
        </Button>
        <Button variant="subtle" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

const ALONE = '';

function MoveServer({ ask, onClose }: { ask: Of<'move-server'>; onClose: () => void }) {
  const { groups, moves } = useDesk();
  const clusters = groups.flatMap((group) =>
    group.clusters.filter((one) => !isLone(one) && one.id !== ask.cluster.id).map((one) => ({ one, group })),
  );
  const [chosen, setChosen] = useState(clusters[0]?.one.id ?? ALONE);
  const cluster = clusters.find(({ one }) => one.id === chosen)?.one ?? null;
  return (
    <Form submit="Move and pin" onClose={onClose} onSubmit={() => moves.moveServer(ask.server, cluster)}>
      <NativeSelect
        label="Cluster"
        description="It stays there whatever detection sees, until you give it back."
        value={chosen}
        data={[
          ...clusters.map(({ one, group }) => ({ value: one.id, label: `${one.name} (${group.name})` })),
          { value: ALONE, label: 'None: it stands by itself' },
        ]}
        onChange={(event) => setChosen(event.target.value)}
      />
    </Form>
  );
}

function MoveCluster({ ask, onClose }: { ask: Of<'move-cluster'>; onClose: () => void }) {
  const { groups, moves } = useDesk();
  const others = groups.filter(({ id }) => id !== ask.group.id);
  const [chosen, setChosen] = useState(others[0]?.id ?? '');
  const group = others.find(({ id }) => id === chosen);
  return (
    <Form
      submit="Move"
      isReady={group !== undefined}
      onClose={onClose}
      onSubmit={async () => group !== undefined && moves.moveCluster(ask.cluster, group)}
    >
      {others.length === 0 ? (
        <p>There is no other group yet. Create one first.</p>
      ) : (
        <NativeSelect
          label="Group"
          value={chosen}
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => setChosen(event.target.value)}
        />
      )}
    </Form>
  );
}

function Describe({ ask, onClose }: { ask: Of<'describe-cluster' | 'describe-group'>; onClose: () => void }) {
  const { moves, descriptions } = useDesk();
  const before =
    ask.kind === 'describe-cluster' ? ask.cluster.description : descriptions.get(groupNumber(ask.group.id));
  const [description, setDescription] = useState(before ?? '');
  const save = () =>
    ask.kind === 'describe-cluster'
      ? moves.changeCluster(ask.cluster, { description })
      : moves.changeGroup(ask.group, { description });
  return (
    <Form submit="Save" onClose={onClose} onSubmit={save}>
      <TextInput
        data-autofocus
        label="Description"
        value={description}
        maxLength={4000}
        onChange={(event) => setDescription(event.target.value)}
      />
    </Form>
  );
}

function Create({ ask, onClose }: { ask: Of<'new-cluster' | 'new-group'>; onClose: () => void }) {
  const { groups, moves } = useDesk();
  const first = groups.find(({ is_default }) => is_default) ?? groups[0];
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [groupId, setGroupId] = useState(
    (ask.kind === 'new-cluster' ? ask.group : undefined)?.id ?? first?.id,
  );
  const text = { name: name.trim(), description: description.trim() };
  const create = () =>
    ask.kind === 'new-group'
      ? moves.createGroup(text)
      : moves.createCluster(
          text,
          groups.find(({ id }) => id === groupId),
        );
  return (
    <Form submit="Create" isReady={text.name !== ''} onClose={onClose} onSubmit={create}>
      <TextInput
        data-autofocus
        label="Name"
        value={name}
        maxLength={255}
        onChange={(event) => setName(event.target.value)}
      />
      <TextInput
        label="Description"
        value={description}
        maxLength={4000}
        onChange={(event) => setDescription(event.target.value)}
      />
      {ask.kind === 'new-cluster' ? (
        <NativeSelect
          label="Group"
          value={groupId}
          data={groups.map(({ id, name: label }) => ({ value: id, label }))}
          onChange={(event) => setGroupId(event.target.value)}
        />
      ) : null}
    </Form>
  );
}

function DeleteCluster({ ask, onClose }: { ask: Of<'delete-cluster'>; onClose: () => void }) {
  const { moves } = useDesk();
  const { cluster } = ask;
  const count = serversOf(cluster).length;
  const manual = isManual(cluster);
  const said = manual ? `${cluster.name} was deleted.` : `${cluster.name} is hidden now.`;
  const words = manual
    ? `${count === 0 ? 'No server is in it.' : `Its ${countOf(count, 'server')} ${count === 1 ? 'goes' : 'go'} back to where detection sees ${count === 1 ? 'it' : 'them'}.`} What was set for the cluster, such as intervals of probes, is removed.`
    : isLone(cluster)
      ? 'It is left out of clusters and navigation. Collection goes on, and the server stays in the estate.'
      : `It is hidden, also from detection; its ${countOf(count, 'server')} stand by themselves. Name, description and what was set for it are kept.`;
  return (
    <Form
      submit={manual ? 'Delete the cluster' : isLone(cluster) ? 'Hide it' : 'Dismiss the cluster'}
      isDangerous
      onClose={onClose}
      onSubmit={() => moves.deleteCluster(cluster, said)}
    >
      <p>{words}</p>
      <p>
        Nothing that was collected is lost.
        {manual ? '' : ' You can bring it back at the foot of this page.'}
      </p>
    </Form>
  );
}

function DeleteGroup({ ask, onClose }: { ask: Of<'delete-group'>; onClose: () => void }) {
  const { moves, groups } = useDesk();
  const home = groups.find(({ is_default }) => is_default)?.name ?? 'the default group';
  return (
    <Form
      submit="Delete the group"
      isDangerous
      onClose={onClose}
      onSubmit={() => moves.deleteGroup(ask.group)}
    >
      <p>
        {ask.group.clusters.length === 0
          ? 'No cluster is in it.'
          : `Its ${countOf(ask.group.clusters.length, 'cluster')} move to ${home}.`}{' '}
        What was set for the group, such as intervals of probes, is removed. Nothing that was collected is
        lost.
      </p>
    </Form>
  );
}

const titleOf = (ask: Ask): string => {
  switch (ask.kind) {
    case 'move-server':
      return `Move ${ask.server.name}`;
    case 'move-cluster':
      return `Move ${ask.cluster.name} to a group`;
    case 'describe-cluster':
      return `Describe ${ask.cluster.name}`;
    case 'describe-group':
      return `Describe ${ask.group.name}`;
    case 'delete-cluster':
      return `${isManual(ask.cluster) ? 'Delete' : isLone(ask.cluster) ? 'Hide' : 'Dismiss'} ${ask.cluster.name}?`;
    case 'delete-group':
      return `Delete ${ask.group.name}?`;
    case 'new-cluster':
      return 'New cluster';
    default:
      return 'New group';
  }
};

function Question({ ask, onClose }: { ask: Ask; onClose: () => void }) {
  switch (ask.kind) {
    case 'move-server':
      return <MoveServer ask={ask} onClose={onClose} />;
    case 'move-cluster':
      return <MoveCluster ask={ask} onClose={onClose} />;
    case 'describe-cluster':
    case 'describe-group':
      return <Describe ask={ask} onClose={onClose} />;
    case 'delete-cluster':
      return <DeleteCluster ask={ask} onClose={onClose} />;
    case 'delete-group':
      return <DeleteGroup ask={ask} onClose={onClose} />;
    default:
      return <Create ask={ask} onClose={onClose} />;
  }
}

export function Asks({ ask, onClose }: { ask: Ask | undefined; onClose: () => void }) {
  return (
    <Dialog title={ask ? titleOf(ask) : ''} opened={ask !== undefined} onClose={onClose}>
      {ask ? <Question ask={ask} onClose={onClose} /> : null}
    </Dialog>
  );
}
