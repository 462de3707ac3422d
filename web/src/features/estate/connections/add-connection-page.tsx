// Adding a server: paste, test, monitor.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { MissingRightState } from '../../../ui/states.tsx';
import { mayManageConnections, useUser } from '../../identity/auth/use-user.ts';
import { ConnectionFormSheet } from './connection-form.tsx';
import { createBody, EMPTY, type FormValues, type Verdict } from './form-values.ts';

function labelOf(verdict: Verdict, values: FormValues): string {
  if (!values.is_monitored) return 'Add without monitoring';
  if (verdict === 'warnings') return 'Monitor with what I have now';
  if (verdict === 'failed') return 'Add anyway';
  return 'Add and monitor';
}

export function AddConnectionPage() {
  const user = useUser().data;
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useOperationMutation('createConnection');
  if (!mayManageConnections(user)) {
    return (
      <>
        <PageHeader title="Add a server" />
        <MissingRightState what="add a server">
          You need the permission <code>manage_connections</code>. An administrator can give it to you.
        </MissingRightState>
      </>
    );
  }
  const submit = async (values: FormValues) => {
    try {
      const made = await create.mutateAsync({ body: createBody(values) });
      await client.invalidateQueries({ queryKey: ['getEstate'] });
      await navigate(`/servers/${made.id}`);
    } catch {
      // Shown above the buttons; everything typed stays.
    }
  };
  return (
    <>
      <PageHeader
        title="Add a server"
        facts="Matriarch reads statistics over one connection; it installs nothing on the server."
      />
      <ConnectionFormSheet
        initial={EMPTY}
        mayShare
        submitLabel={labelOf}
        failure={create.error?.message}
        busy={create.isPending || create.isSuccess}
        cancelPath="/"
        onSubmit={submit}
      />
    </>
  );
}
