// The dialog in which a probe is set: whether it is collected, how often, and how long it is kept.
import { Checkbox, TextInput } from '@mantine/core';
import { everyText } from '../../../lib/time.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ticked, typed } from '../../../ui/field.ts';
import { OverrideForm } from '../overrides/override-form.tsx';
import fields from '../overrides/overrides.module.css';
import type { Level } from '../overrides/scopes.ts';
import { valuesText } from './level-words.ts';
import { type Draft, draftOf, leastSeconds, problemsOf, type Values } from './probe-values.ts';
import { type ProbeSettingAt, useSaving } from './use-saving.ts';

export interface EditedProbe {
  name: string;
  description: string;
  built_in: Values;
  /** Where it can be set, from the most specific to the most general. */
  scopes: readonly [ProbeSettingAt, ...ProbeSettingAt[]];
  /** What is set, from the most general to the most specific; the last one is in force. */
  chain: readonly Level<Values>[];
}

interface FieldsProps {
  draft: Draft;
  least: number;
  problems: ReturnType<typeof problemsOf>;
  onChange: (next: Partial<Draft>) => void;
}

function Fields({ draft, least, problems, onChange }: FieldsProps) {
  const seconds = Number(draft.interval);
  return (
    <>
      <Checkbox label="Collect it" {...ticked(draft.is_enabled, (is_enabled) => onChange({ is_enabled }))} />
      <div className={fields.fields}>
        <TextInput
          label="Interval in seconds"
          description={Number.isInteger(seconds) && seconds > 0 ? everyText(seconds) : `${least} to 86,400`}
          inputMode="numeric"
          maxLength={9}
          error={problems.interval}
          {...typed(draft.interval, (interval) => onChange({ interval }))}
        />
        <TextInput
          label="Retention in days"
          description="1 to 3,650; coarser samples may stay longer"
          inputMode="numeric"
          maxLength={9}
          error={problems.retention}
          {...typed(draft.retention, (retention) => onChange({ retention }))}
        />
      </div>
    </>
  );
}

function ProbeForm({ probe, onClose }: { probe: EditedProbe; onClose: () => void }) {
  const least = leastSeconds(probe.built_in);
  return (
    <OverrideForm
      description={probe.description}
      chain={probe.chain}
      words={valuesText}
      places={probe.scopes}
      draftOf={draftOf}
      isValid={(draft) => Object.keys(problemsOf(draft, least)).length === 0}
      saving={useSaving(probe.name, onClose)}
      onClose={onClose}
    >
      {({ draft, tried, onChange }) => (
        <Fields
          draft={draft}
          least={least}
          problems={tried ? problemsOf(draft, least) : {}}
          onChange={onChange}
        />
      )}
    </OverrideForm>
  );
}

export function ProbeEditor({ probe, onClose }: { probe: EditedProbe | undefined; onClose: () => void }) {
  return (
    <Dialog
      title={`Change ${probe?.name ?? 'a probe'}`}
      opened={probe !== undefined}
      onClose={onClose}
      size="lg"
    >
      {probe ? <ProbeForm key={probe.name} probe={probe} onClose={onClose} /> : null}
    </Dialog>
  );
}
