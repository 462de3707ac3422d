// Changing a connection, and deleting it.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { NotFoundPage } from '../../../ui/not-found-page.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { MissingRightState, NoPermissionState } from '../../../ui/states.tsx';
import { mayManageConnections, useUser } from '../../identity/auth/use-user.ts';
import { useEstate } from '../estate/use-estate.ts';
import { ConnectionFormSheet } from './connection-form.tsx';
import { DeleteConnection } from './delete-connection.tsx';
import { type FormValues, updateBody, valuesOf } from './form-values.ts';

function Sheet({ id }: { id: number }) {
  const connection = useOperation('getConnection', { params: { id } }, { staleMs: 0 });
  const user = useUser().data;
  const navigate = useNavigate();
  const client = useQueryClient();
  const update = useOperationMutation('updateConnection');
  if (connection.data === undefined) {
    return (
      <Panel title="Connection">
        <Query query={connection} what="the connection" lines={8} />
      </Panel>
    );
  }
  const submit = async (values: FormValues) => {
    try {
      await update.mutateAsync({ params: { id }, body: updateBody(values) });
      // Not waited for: a page that is left only when everything is read again would be taken away from whoever goes on
      // working in it.
      void client.invalidateQueries();
      await navigate(`/servers/${id}`);
    } catch {
      // Shown above the buttons; everything typed stays.
    }
  };
  return (
    <ConnectionFormSheet
      key={id}
      id={id}
      initial={valuesOf(connection.data)}
      hasPassword={connection.data.has_password}
      sourceReading={connection.data.password_source_reading}
      mayShare={mayManageConnections(user)}
      submitLabel={() => 'Save changes'}
      failure={update.error?.message}
      busy={update.isPending || update.isSuccess}
      cancelPath={`/servers/${id}`}
      onSubmit={submit}
    >
      <DeleteConnection id={id} name={connection.data.name} />
    </ConnectionFormSheet>
  );
}

function Forbidden({ name }: { name: string | undefined }) {
  if (name === undefined) return <NoPermissionState what="this connection’s settings" />;
  return (
    <MissingRightState what={`change ${name}`}>
      You need the permission <code>manage_connections</code>, or to be its owner with read and write access.
      An administrator can give you either.
    </MissingRightState>
  );
}

export function EditConnectionPage() {
  const { id = '' } = useParams();
  const estate = useEstate();
  if (!/^[1-9]\d{0,9}$/.test(id)) return <NotFoundPage />;
  const server = estate.data?.servers.find((one) => String(one.connection_id) === id);
  const forbidden = estate.data !== undefined && server?.may_manage !== true;
  return (
    <>
      <PageHeader title={server ? `Edit ${server.name}` : 'Edit a connection'} />
      {forbidden ? <Forbidden name={server?.name} /> : <Sheet id={Number(id)} />}
    </>
  );
}
