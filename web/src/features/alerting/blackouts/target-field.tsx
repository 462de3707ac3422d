// What a blackout or schedule is for: the estate, a group, a cluster, a server, or one database of a server.
import { NativeSelect, TextInput } from '@mantine/core';
import layout from '../../../ui/layout.module.css';
import { groupNumber, storedId } from '../../estate/clusters/model.ts';
import { useTopology } from '../../estate/clusters/use-topology.ts';
import { useEstate } from '../../estate/estate/use-estate.ts';
import { SCOPE_WORDS, SCOPES, type Scope, type TargetDraft } from './blackout-words.ts';

interface Choice {
  value: string;
  label: string;
}

const byName = (choices: Choice[]) => choices.toSorted((a, b) => a.label.localeCompare(b.label));

function useChoices(scope: Scope): Choice[] {
  const servers = useEstate().data?.servers ?? [];
  const groups = useTopology().data ?? [];
  if (scope === 'estate') return [];
  if (scope === 'server')
    return byName(servers.map(({ connection_id, name }) => ({ value: String(connection_id), label: name })));
  if (scope === 'group')
    return byName(
      groups.flatMap(({ id, name }) => {
        const number = groupNumber(id);
        return number > 0 ? [{ value: String(number), label: name }] : [];
      }),
    );
  // One that was detected and that nobody has named yet has no row to hang anything on.
  return byName(
    groups
      .flatMap(({ clusters }) => clusters)
      .flatMap(({ id, name }) => {
        const stored = storedId(id);
        return stored === undefined ? [] : [{ value: String(stored), label: name }];
      }),
  );
}

const LABELS: Record<Scope, string> = { estate: '', group: 'Group', cluster: 'Cluster', server: 'Server' };

export interface TargetFieldProps {
  target: TargetDraft;
  onChange: (target: TargetDraft) => void;
}

export function TargetField({ target, onChange }: TargetFieldProps) {
  const { scope, id, database } = target;
  const choices = useChoices(scope);
  return (
    <>
      <div className={layout.pair}>
        <NativeSelect
          label="Silence"
          data={SCOPES.map((one) => ({ value: one, label: SCOPE_WORDS[one] }))}
          value={scope}
          onChange={({ target: { value } }) =>
            onChange({ scope: SCOPES.find((one) => one === value) ?? 'estate', id: '', database: '' })
          }
        />
        {scope === 'estate' ? null : (
          <NativeSelect
            label={LABELS[scope]}
            data={[{ value: '', label: 'Choose…' }, ...choices]}
            value={id}
            {...(scope === 'cluster' && choices.length === 0
              ? { description: 'Name a detected cluster to choose it here.' }
              : {})}
            onChange={(event) => onChange({ ...target, id: event.target.value })}
          />
        )}
      </div>
      {scope === 'server' ? (
        <TextInput
          label="Only this database"
          description="Empty: all of the server."
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          value={database}
          onChange={(event) => onChange({ ...target, database: event.target.value })}
        />
      ) : null}
    </>
  );
}
