// Chooses whether a page is about all servers, a cluster or one server. Guards: what the address names can be seen in the
// choice, also while it is not known yet.
import { NativeSelect } from '@mantine/core';
import { typed } from '../../../ui/field.ts';
import { useEstate } from '../estate/use-estate.ts';
import { useClusters, useScope } from './use-scope.ts';

export function ScopeChoice() {
  const [{ value, name }, choose] = useScope();
  const clusters = useClusters().map((one) => ({ value: `cluster ${one.id}`, label: one.name }));
  const servers = (useEstate().data?.servers ?? [])
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map((one) => ({ value: `server ${one.connection_id}`, label: one.name }));
  const isKnown = value === '' || [...clusters, ...servers].some((one) => one.value === value);
  return (
    <NativeSelect
      label="Cluster or server"
      data={[
        { value: '', label: 'Every server' },
        ...(isKnown ? [] : [{ value, label: name }]),
        ...(clusters.length > 0 ? [{ group: 'Clusters', items: clusters }] : []),
        ...(servers.length > 0 ? [{ group: 'Servers', items: servers }] : []),
      ]}
      {...typed(value, choose)}
    />
  );
}
