// Gives a table as a file: CSV for spreadsheets, JSON for programs.
import { Button } from '@mantine/core';
import { useState } from 'react';
import classes from './export-buttons.module.css';
import { DownloadIcon } from './icons.ts';
import layout from './layout.module.css';

export interface ExportButtonsProps {
  /** How far it is, or what went wrong. */
  said?: string;
  onSave: (ending: 'csv' | 'json') => void | Promise<void>;
  /** Ends what takes long. */
  onStop?: () => void;
}

export function ExportButtons({ said = '', onSave, onStop }: ExportButtonsProps) {
  const [saving, setSaving] = useState<'csv' | 'json'>();
  const save = async (ending: 'csv' | 'json') => {
    setSaving(ending);
    await onSave(ending);
    setSaving(undefined);
  };
  return (
    <div className={classes.exports}>
      <span role="status" className={layout.small}>
        {said}
      </span>
      {onStop && saving !== undefined ? (
        <Button variant="default" size="compact-sm" onClick={onStop}>
          Stop
        </Button>
      ) : null}
      {(['csv', 'json'] as const).map((ending) => (
        <Button
          key={ending}
          variant="default"
          size="compact-sm"
          leftSection={<DownloadIcon size={14} />}
          loading={saving === ending}
          disabled={saving !== undefined}
          onClick={() => void save(ending)}
        >
          {ending.toUpperCase()}
        </Button>
      ))}
    </div>
  );
}
