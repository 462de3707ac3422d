// Which findings are shown. Each choice stands in the address.
import { NativeSelect } from '@mantine/core';
import { Filters } from '../../../ui/filters.tsx';
import { useEstate } from '../../estate/estate/use-estate.ts';
import { CATEGORY_WORDS, SEVERITY_WORDS, STATE_WORDS, STATES } from './finding-words.ts';
import { useChecks, useFindingFilters } from './use-findings.ts';

const STATE_CHOICES = STATES.map((value) => ({
  value: value === 'open' ? '' : value,
  label: STATE_WORDS[value],
}));
const SEVERITY_CHOICES = [
  { value: '', label: 'Every severity' },
  { value: 'warning', label: 'Warning and critical' },
  { value: 'critical', label: SEVERITY_WORDS.critical.label },
];
const CATEGORY_CHOICES = [
  { value: '', label: 'Every category' },
  ...Object.entries(CATEGORY_WORDS).map(([value, label]) => ({ value, label })),
];
function CheckChoice() {
  const [{ check = '' }, set] = useFindingFilters();
  const checks = (useChecks().data ?? []).map((one) => one.check);
  return (
    <NativeSelect
      label="Check"
      data={[
        { value: '', label: 'Every check' },
        ...checks
          .toSorted((a, b) => a.title.localeCompare(b.title))
          .map(({ name, title }) => ({ value: name, label: title })),
      ]}
      value={check}
      onChange={(event) => set({ check: event.target.value })}
    />
  );
}

function ServerChoice() {
  const [{ server }, set] = useFindingFilters();
  const servers = (useEstate().data?.servers ?? []).toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <NativeSelect
      label="Server"
      data={[
        { value: '', label: 'Every server' },
        ...servers.map(({ connection_id, name }) => ({ value: String(connection_id), label: name })),
      ]}
      value={server === undefined ? '' : String(server)}
      onChange={(event) => set({ server: event.target.value })}
    />
  );
}

/** `ofServer`: of one server alone, which cannot be chosen then. */
export function FindingFilters({ ofServer = false }: { ofServer?: boolean }) {
  const [{ state, severity = '', category = '' }, set] = useFindingFilters();
  return (
    <Filters names={['state', 'severity', 'category', 'check', 'server']}>
      <NativeSelect
        label="State"
        data={STATE_CHOICES}
        value={state === 'open' ? '' : state}
        onChange={(event) => set({ state: event.target.value })}
      />
      <NativeSelect
        label="Severity"
        data={SEVERITY_CHOICES}
        value={severity === 'info' ? '' : severity}
        onChange={(event) => set({ severity: event.target.value })}
      />
      <NativeSelect
        label="Category"
        data={CATEGORY_CHOICES}
        value={category}
        onChange={(event) => set({ category: event.target.value })}
      />
      <CheckChoice />
      {ofServer ? null : <ServerChoice />}
    </Filters>
  );
}
