// Setting up a second factor: the password again, the key for the app, one code that shows that the app has it, and the recovery codes.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type ApiError, call } from '../../../api/client.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { usePageDraft } from '../../../ui/draft.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import { CodeField } from '../auth/code-field.tsx';
import { type InForce, useOwnProof } from './own-proof.tsx';
import { QrCode } from './qr-code.tsx';
import classes from './second-factor.module.css';

type Confirmed = OperationTypes['confirmSecondFactor']['result'];
type Offer = OperationTypes['startSecondFactor']['result'];

interface StartProps {
  inForce: InForce;
  onOffer: (offer: Offer) => void;
  submitLabel: string;
}

function Start({ inForce, onOffer, submitLabel }: StartProps) {
  const proof = useOwnProof(inForce);
  const start = useMutation<Offer, ApiError>({
    mutationFn: async () => call('startSecondFactor', { body: await proof.give() }),
    onSuccess: onOffer,
    onError: () => proof.clear(),
  });
  const { events, guard } = usePageDraft(start.isPending || start.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <form className={layout.fields} {...events} onSubmit={submit}>
      <FormError error={start.error} />
      {proof.fields}
      <div className={classes.row}>
        <Button type="submit" loading={start.isPending}>
          {submitLabel}
        </Button>
      </div>
      {guard}
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
  const { events, guard } = usePageDraft(confirm.isPending || confirm.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate(code.trim(), { onError: () => setCode('') });
  };
  return (
    <form className={layout.fields} {...events} onSubmit={submit}>
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
      {guard}
    </form>
  );
}

export interface SecondFactorSetupProps {
  hasPasskeys: boolean;
  submitLabel: string;
  /** The codes are there, and the second factor is in force. */
  onCodes: (codes: readonly string[]) => void;
}

export function SecondFactorSetup({ hasPasskeys, submitLabel, onCodes }: SecondFactorSetupProps) {
  const [offer, setOffer] = useState<Offer>();
  return offer ? (
    <Confirm offer={offer} onCodes={onCodes} />
  ) : (
    <Start inForce={{ hasApp: false, hasPasskeys }} onOffer={setOffer} submitLabel={submitLabel} />
  );
}
