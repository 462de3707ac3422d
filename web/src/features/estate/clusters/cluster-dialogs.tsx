// Contents of the clusters page: where to move something, what to call it, whether to delete it and what that does.
import { NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { countOf } from '../../../lib/format.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { typed } from '../../../ui/field.ts';
import { FormEnd } from '../../../ui/form-end.tsx';
import layout from '../../../ui/layout.module.css';
import { ScopeAccessDialog } from '../../identity/rbac/scope-access.tsx';
import { type ClusterDialog, useClusterContext } from './cluster-context.ts';
import { isLone, isManual, serversOf } from './model.ts';
import { focusLastUsed } from './row-menu.tsx';

/** Who has access is a dialog of another room. */
type OwnDialog = Exclude<ClusterDialog, { kind: 'access' }>;
type Of<K extends OwnDialog['kind']> = Extract<OwnDialog, { kind: K }>;

interface FormProps {
  submit: string;
  isDangerous?: boolean;
  isReady?: boolean;
  onSubmit: () => Promise<boolean>;
  onClose: () => void;
  children: ReactNode;
}

function Form({ submit, isDangerous = false, isReady = true, onSubmit, onClose, children }: FormProps) {
  const { mutations } = useClusterContext();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isReady && (await onSubmit())) onClose();
  };
  return (
    <form className={layout.stack} onSubmit={send} noValidate>
      {children}
      <FormEnd
        verb={submit}
        error={mutations.error}
        isPending={mutations.isBusy}
        isDisabled={!isReady}
        isDangerous={isDangerous}
        onCancel={onClose}
      />
    </form>
  );
}

const ALONE = '';

function MoveServer({ dialog, onClose }: { dialog: Of<'move-server'>; onClose: () => void }) {
  const { groups, mutations } = useClusterContext();
  const clusters = groups.flatMap((group) =>
    group.clusters
      .filter((one) => !isLone(one) && one.id !== dialog.cluster.id)
      .map((one) => ({ one, group })),
  );
  const [chosen, setChosen] = useState(clusters[0]?.one.id ?? ALONE);
  const cluster = clusters.find(({ one }) => one.id === chosen)?.one ?? null;
  return (
    <Form
      submit="Move and pin"
      onClose={onClose}
      onSubmit={() => mutations.moveServer(dialog.server, cluster)}
    >
      <NativeSelect
        label="Cluster"
        description="Detection does not move it until you give it back."
        data={[
          ...clusters.map(({ one, group }) => ({ value: one.id, label: `${one.name} (${group.name})` })),
          { value: ALONE, label: 'None (a cluster of its own)' },
        ]}
        {...typed(chosen, setChosen)}
      />
    </Form>
  );
}

function MoveCluster({ dialog, onClose }: { dialog: Of<'move-cluster'>; onClose: () => void }) {
  const { groups, mutations } = useClusterContext();
  const others = groups.filter(({ id }) => id !== dialog.group.id);
  const [chosen, setChosen] = useState(others[0]?.id ?? '');
  const group = others.find(({ id }) => id === chosen);
  return (
    <Form
      submit="Move"
      isReady={group !== undefined}
      onClose={onClose}
      onSubmit={async () => group !== undefined && mutations.moveCluster(dialog.cluster, group)}
    >
      {others.length === 0 ? (
        <p>There is no other group yet. Create one first.</p>
      ) : (
        <NativeSelect
          label="Group"
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          {...typed(chosen, setChosen)}
        />
      )}
    </Form>
  );
}

function Describe({
  dialog,
  onClose,
}: {
  dialog: Of<'describe-cluster' | 'describe-group'>;
  onClose: () => void;
}) {
  const { mutations } = useClusterContext();
  const before = (dialog.kind === 'describe-cluster' ? dialog.cluster : dialog.group).description;
  const [description, setDescription] = useState(before ?? '');
  const save = () =>
    dialog.kind === 'describe-cluster'
      ? mutations.changeCluster(dialog.cluster, { description })
      : mutations.changeGroup(dialog.group, { description });
  return (
    <Form submit="Save" onClose={onClose} onSubmit={save}>
      <TextInput
        data-autofocus
        label="Description"
        maxLength={4000}
        {...typed(description, setDescription)}
      />
    </Form>
  );
}

function Create({ dialog, onClose }: { dialog: Of<'new-cluster' | 'new-group'>; onClose: () => void }) {
  const { groups, mutations } = useClusterContext();
  const first = groups.find(({ is_default }) => is_default) ?? groups[0];
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [groupId, setGroupId] = useState(
    (dialog.kind === 'new-cluster' ? dialog.group : undefined)?.id ?? first?.id,
  );
  const text = { name: name.trim(), description: description.trim() };
  const create = () =>
    dialog.kind === 'new-group'
      ? mutations.createGroup(text)
      : mutations.createCluster(
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
        onChange={(event) => {
          setName(event.target.value);
          mutations.forget();
        }}
      />
      <TextInput label="Description" maxLength={4000} {...typed(description, setDescription)} />
      {dialog.kind === 'new-cluster' ? (
        <NativeSelect
          label="Group"
          data={groups.map(({ id, name: label }) => ({ value: id, label }))}
          {...typed(groupId ?? '', setGroupId)}
        />
      ) : null}
    </Form>
  );
}

function DeleteCluster({ dialog, onClose }: { dialog: Of<'delete-cluster'>; onClose: () => void }) {
  const { mutations } = useClusterContext();
  const { cluster } = dialog;
  const count = serversOf(cluster).length;
  const manual = isManual(cluster);
  const said = manual ? `${cluster.name} was deleted.` : `${cluster.name} is hidden now.`;
  const words = manual
    ? `${count === 0 ? 'No server is in it.' : `Its ${countOf(count, 'server')} ${count === 1 ? 'goes' : 'go'} back to where detection sees ${count === 1 ? 'it' : 'them'}.`} What was set for the cluster, such as intervals of probes, is removed.`
    : isLone(cluster)
      ? 'It is left out of clusters and navigation. Collection goes on, and the server stays in the estate.'
      : `It is hidden, also from detection; its ${countOf(count, 'server')} are shown as single servers. Its name, description and settings are kept.`;
  return (
    <Form
      submit={manual ? 'Delete the cluster' : isLone(cluster) ? 'Hide it' : 'Dismiss the cluster'}
      isDangerous
      onClose={onClose}
      onSubmit={() => mutations.deleteCluster(cluster, said)}
    >
      <p>{words}</p>
      <p>
        Nothing that was collected is lost.
        {manual ? '' : ' You can bring it back at the foot of this page.'}
      </p>
    </Form>
  );
}

function DeleteGroup({ dialog, onClose }: { dialog: Of<'delete-group'>; onClose: () => void }) {
  const { mutations, groups } = useClusterContext();
  const home = groups.find(({ is_default }) => is_default)?.name ?? 'the default group';
  return (
    <Form
      submit="Delete the group"
      isDangerous
      onClose={onClose}
      onSubmit={() => mutations.deleteGroup(dialog.group)}
    >
      <p>
        {dialog.group.clusters.length === 0
          ? 'No cluster is in it.'
          : `Its ${countOf(dialog.group.clusters.length, 'cluster')} move to ${home}.`}{' '}
        What was set for the group, such as intervals of probes, is removed. Nothing that was collected is
        lost.
      </p>
    </Form>
  );
}

const titleOf = (dialog: OwnDialog): string => {
  switch (dialog.kind) {
    case 'move-server':
      return `Move ${dialog.server.name}`;
    case 'move-cluster':
      return `Move ${dialog.cluster.name} to a group`;
    case 'describe-cluster':
      return `Describe ${dialog.cluster.name}`;
    case 'describe-group':
      return `Describe ${dialog.group.name}`;
    case 'delete-cluster':
      return `${isManual(dialog.cluster) ? 'Delete' : isLone(dialog.cluster) ? 'Hide' : 'Dismiss'} ${dialog.cluster.name}?`;
    case 'delete-group':
      return `Delete ${dialog.group.name}?`;
    case 'new-cluster':
      return 'New cluster';
    default:
      return 'New group';
  }
};

function Content({ dialog, onClose }: { dialog: OwnDialog; onClose: () => void }) {
  switch (dialog.kind) {
    case 'move-server':
      return <MoveServer dialog={dialog} onClose={onClose} />;
    case 'move-cluster':
      return <MoveCluster dialog={dialog} onClose={onClose} />;
    case 'describe-cluster':
    case 'describe-group':
      return <Describe dialog={dialog} onClose={onClose} />;
    case 'delete-cluster':
      return <DeleteCluster dialog={dialog} onClose={onClose} />;
    case 'delete-group':
      return <DeleteGroup dialog={dialog} onClose={onClose} />;
    default:
      return <Create dialog={dialog} onClose={onClose} />;
  }
}

export function ClusterDialogs({
  dialog,
  onClose,
}: {
  dialog: ClusterDialog | undefined;
  onClose: () => void;
}) {
  const own = dialog?.kind === 'access' ? undefined : dialog;
  const about = dialog?.kind === 'access' ? dialog.about : undefined;
  return (
    <>
      <Dialog
        title={own ? titleOf(own) : ''}
        opened={own !== undefined}
        onClose={onClose}
        onClosed={focusLastUsed}
      >
        {own ? <Content dialog={own} onClose={onClose} /> : null}
      </Dialog>
      <ScopeAccessDialog about={about} onClose={onClose} onClosed={focusLastUsed} />
    </>
  );
}
