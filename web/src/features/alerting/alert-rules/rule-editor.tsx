// The dialog in which an alert rule is set: its four values, what they would have raised, and what is learned meanwhile.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { formatValue } from '../../../ui/charts/values.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ticked, typed } from '../../../ui/field.ts';
import { OverrideForm } from '../../estate/overrides/override-form.tsx';
import fields from '../../estate/overrides/overrides.module.css';
import { BacktestPreview } from './backtest-preview.tsx';
import { Learned } from './learned.tsx';
import {
  type Draft,
  draftOf,
  OPERATOR_WORDS,
  OPERATORS,
  type RuleAt,
  SEVERITIES,
  SEVERITY_WORDS,
  THRESHOLD_FAULT,
  thresholdOf,
  valuesWords,
} from './rule-values.ts';
import { useSaving } from './use-rules.ts';

interface FieldsProps {
  draft: Draft;
  unit: string | null;
  fault: string | undefined;
  onChange: (next: Partial<Draft>) => void;
}

const UNITS: Readonly<Record<string, string>> = { percent: 'in percent', count: '', '': '' };

function thresholdNote(draft: Draft, unit: string | null): string {
  const value = thresholdOf(draft);
  const named = unit ?? '';
  const words = UNITS[named] ?? `in ${named}`;
  return [words, value === undefined ? undefined : formatValue(value, named)]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
}

function Fields({ draft, unit, fault, onChange }: FieldsProps) {
  return (
    <>
      <Checkbox
        label="Raise alerts"
        {...ticked(draft.is_enabled, (is_enabled) => onChange({ is_enabled }))}
      />
      <div className={fields.fields}>
        <NativeSelect
          label="When it is"
          description="compared with the threshold"
          data={OPERATORS.map((value) => ({ value, label: OPERATOR_WORDS[value] }))}
          value={draft.operator}
          onChange={(event) =>
            onChange({ operator: OPERATORS.find((one) => one === event.target.value) ?? '>' })
          }
        />
        <TextInput
          label="Threshold"
          description={thresholdNote(draft, unit) || 'a number'}
          inputMode="decimal"
          autoComplete="off"
          maxLength={30}
          error={fault}
          {...typed(draft.threshold, (threshold) => onChange({ threshold }))}
        />
        <NativeSelect
          label="Severity"
          description="of its alerts"
          data={SEVERITIES.map((value) => ({ value, label: SEVERITY_WORDS[value] }))}
          value={draft.severity}
          onChange={(event) =>
            onChange({ severity: SEVERITIES.find((one) => one === event.target.value) ?? 'warning' })
          }
        />
      </div>
    </>
  );
}

function RuleForm({ at, onClose }: { at: RuleAt; onClose: () => void }) {
  const { rule, chain, places } = at;
  const unit = rule.metric_unit;
  return (
    <OverrideForm
      description={rule.description}
      chain={chain}
      words={(values) => valuesWords(values, unit)}
      places={places}
      draftOf={draftOf}
      isValid={(draft) => thresholdOf(draft) !== undefined}
      saving={useSaving(rule, onClose)}
      onClose={onClose}
    >
      {({ where, draft, tried, onChange }) => (
        <>
          <Fields
            draft={draft}
            unit={unit}
            fault={tried && thresholdOf(draft) === undefined ? THRESHOLD_FAULT : undefined}
            onChange={onChange}
          />
          <BacktestPreview rule={rule} place={where} draft={draft} />
          <Learned rule={rule} place={where} />
        </>
      )}
    </OverrideForm>
  );
}

export function RuleEditor({ at, onClose }: { at: RuleAt | undefined; onClose: () => void }) {
  return (
    <Dialog
      title={`Change ${at?.rule.name ?? 'a rule'}`}
      opened={at !== undefined}
      onClose={onClose}
      size="lg"
    >
      {at ? <RuleForm key={at.rule.id} at={at} onClose={onClose} /> : null}
    </Dialog>
  );
}
