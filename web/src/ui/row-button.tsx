// What can be done with one row of a table or list: a small button that says what it does, and to whoever hears it, to which row.
import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentType } from 'react';

export interface RowButtonProps extends Pick<ButtonProps, 'disabled'> {
  /** "Change". */
  verb: string;
  /** The row: "the passkey laptop". */
  of: string;
  icon?: ComponentType<{ size: number }>;
  variant?: 'default' | 'subtle';
  onClick: () => void;
}

export function RowButton({ verb, of, icon: Icon, variant = 'default', ...props }: RowButtonProps) {
  return (
    <Button
      size="compact-sm"
      variant={variant}
      leftSection={Icon ? <Icon size={14} /> : undefined}
      aria-label={`${verb} ${of}`}
      {...props}
    >
      {verb}
    </Button>
  );
}
