// Setting up a second factor: the password again, the key for the app, one code that shows that the app has it, and the recovery codes.
import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type ApiError, call } from '../../api/client.ts';
import type { OperationTypes } from '../../api/operations.gen.ts';
import { useOperationMutation } from '../../api/use-operation.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { Notice } from '../../ui/notice.tsx';
import { CodeField } from '../auth/code-field.tsx';
import { QrCode } from './qr-code.tsx';
import classes from './second-factor.module.css';

type Confirmed = OperationTypes['confirmSecondFactor']['result'];
type Offer = OperationTypes['startSecondFactor']['result'];

export function OwnPasswordField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <PasswordInput
      label="Your password"
      autoComplete="current-password"
      required
      withAsterisk={false}
      maxLength={1024}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** The codes stay on the page until the user says that they are kept. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <div className={classes.form}>
      <Notice tone="warn" role="status">
        Keep these recovery codes in a safe place. They are shown only now. Each signs you in once when you do
        not have your app.
      </Notice>
      <CodeBlock code={codes.join('\n')} label="Recovery codes" fileName="matriarch-recovery-codes.txt" />
      <div className={classes.row}>
        <Button onClick={onDone}>I have kept them</Button>
      </div>
    </div>
  );
}

function Start({ onOffer, submitLabel }: { onOffer: (offer: Offer) => void; submitLabel: string }) {
  const [password, setPassword] = useState('');
  const start = useOperationMutation('startSecondFactor');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate({ body: { password } }, { onSuccess: onOffer, onError: () => setPassword('') });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <FormError error={start.error} />
      <OwnPasswordField value={password} onChange={setPassword} />
      <div className={classes.row}>
        <Button type="submit" loading={start.isPending}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}

function Confirm({ offer, onCodes }: { offer: Offer; onCodes: (codes: readonly string[]) => void }) {
  const [code, setCode] = useState('');
  const client = useQueryClient();
  const confirm = useMutation<Confirmed, ApiError, string>({
    mutationFn: (given) => call('confirmSecondFactor', { body: { code: given } }),
    // First the codes, which are shown once: what is read anew after that may take this form away.
    onSuccess: async ({ recovery_codes }) => {
      onCodes(recovery_codes);
      await client.invalidateQueries();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate(code.trim(), { onError: () => setCode('') });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <p className={classes.text}>Scan this with an authenticator app, or type the key into it.</p>
      <QrCode text={offer.app_url} label="QR code with the key for your authenticator app" />
      <CodeBlock code={offer.setup_key} label="Key" />
      <FormError error={confirm.error} />
      <CodeField value={code} onChange={setCode} appOnly isFirst />
      <div className={classes.row}>
        <Button type="submit" loading={confirm.isPending}>
          Confirm
        </Button>
      </div>
    </form>
  );
}

export interface SecondFactorSetupProps {
  submitLabel: string;
  /** The codes are there, and the second factor is in force. */
  onCodes: (codes: readonly string[]) => void;
}

export function SecondFactorSetup({ submitLabel, onCodes }: SecondFactorSetupProps) {
  const [offer, setOffer] = useState<Offer>();
  return offer ? (
    <Confirm offer={offer} onCodes={onCodes} />
  ) : (
    <Start onOffer={setOffer} submitLabel={submitLabel} />
  );
}
