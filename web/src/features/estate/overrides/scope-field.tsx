// For which servers settings are shown: all, or those of a group, a cluster or one server.
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { typed } from '../../../ui/field.ts';
import { groupNumber, storedId } from '../clusters/model.ts';
import { useTopology } from '../clusters/use-topology.ts';
import { useEstate } from '../estate/use-estate.ts';
import classes from './overrides.module.css';
import { ESTATE_WORDS, KIND_WORDS, type ScopeKind } from './scopes.ts';
import type { Target } from './use-scopes.ts';

type Kind = 'estate' | ScopeKind;

const KINDS: readonly { value: Kind; label: string }[] = [
  { value: 'estate', label: ESTATE_WORDS },
  { value: 'group', label: 'A group' },
  { value: 'cluster', label: 'A cluster' },
  { value: 'server', label: 'A server' },
];

interface Choice {
  value: string;
  label: string;
}

function useChoices(kind: Kind): Choice[] {
  const servers = useEstate().data?.servers ?? [];
  const groups = useTopology().data ?? [];
  const choices: Record<Kind, () => Choice[]> = {
    estate: () => [],
    server: () => servers.map((one) => ({ value: String(one.connection_id), label: one.name })),
    group: () =>
      groups.flatMap(({ id, name }) => {
        const number = groupNumber(id);
        return number > 0 ? [{ value: String(number), label: name }] : [];
      }),
    // A detected cluster has no row before it is named, so nothing can be set for it.
    cluster: () =>
      groups
        .flatMap(({ clusters }) => clusters)
        .flatMap(({ id, name }) => {
          const stored = storedId(id);
          return stored === undefined ? [] : [{ value: String(stored), label: name }];
        }),
  };
  return choices[kind]().toSorted((a, b) => a.label.localeCompare(b.label));
}

export interface ScopeFieldProps {
  target: Target | undefined;
  onTarget: (target: Target | undefined) => void;
}

export function ScopeField({ target, onTarget }: ScopeFieldProps) {
  const [begun, setBegun] = useState<Kind>();
  const kind = target?.scope ?? begun ?? 'estate';
  const choices = useChoices(kind);
  const chooseKind = (value: string) => {
    const next = KINDS.find((one) => one.value === value)?.value ?? 'estate';
    setBegun(next);
    onTarget(undefined);
  };
  return (
    <search className={classes.scope} aria-label="For which servers">
      <NativeSelect label="For" data={[...KINDS]} {...typed(kind, chooseKind)} />
      {kind === 'estate' ? null : (
        <NativeSelect
          label={KIND_WORDS[kind]}
          data={[{ value: '', label: 'Choose…' }, ...choices]}
          value={target?.scope === kind ? String(target.id) : ''}
          {...(kind === 'cluster' && choices.length === 0
            ? { description: 'A detected cluster can be chosen after it has been named.' }
            : {})}
          onChange={({ target: { value } }) =>
            onTarget(value === '' ? undefined : { scope: kind, id: Number(value) })
          }
        />
      )}
    </search>
  );
}
