// Which channels are told of what: of the whole estate, of a group, a cluster or a server, with where each is set.
import { NativeSelect } from '@mantine/core';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { Status } from '../../../ui/status.tsx';
import { resetAll, stateOf } from '../../estate/overrides/saving.ts';
import { ScopeField } from '../../estate/overrides/scope-field.tsx';
import { ESTATE_WORDS, type Scope, scopeWords } from '../../estate/overrides/scopes.ts';
import {
  OTHERS_MS,
  type Read,
  type Target,
  useScopeRows,
  useTarget,
} from '../../estate/overrides/use-scopes.ts';
import { MANAGE } from './channel-words.ts';
import classes from './channels.module.css';
import { type RoutedChannel, routesAt } from './routes.ts';

function useOverrides(scope: Scope | undefined) {
  return useOperation(
    'listChannelOverrides',
    { params: { scope: scope?.scope ?? 'server', scopeId: scope?.scope_id ?? 0 } },
    { enabled: scope !== undefined, everyMs: OTHERS_MS },
  );
}

/** The defaults of the estate, as channels that inherit nothing. */
function useEstateRoutes(): Read<RoutedChannel[]> {
  const { data, error, refetch } = useOperation('listNotificationChannels', {}, { everyMs: OTHERS_MS });
  const routes = data
    ?.filter(({ enabled }) => enabled)
    .map(({ id, name, channel_type: type, is_estate_default: isTold }): RoutedChannel => {
      const told = { title: ESTATE_WORDS, isTold };
      return { id, name, type, inForce: told, inherited: told, set: isTold };
    });
  return { data: routes, error, refetch };
}

function useRoutes(target: Target | undefined): Read<RoutedChannel[]> & { place: Scope | undefined } {
  const estate = useEstateRoutes();
  const { scope, data, ...set } = useScopeRows(target, useOverrides);
  if (target === undefined) return { ...estate, place: undefined };
  return { ...set, place: scope, data: data && routesAt(data) };
}

const toldWords = (isTold: boolean) => (isTold ? 'Notified' : 'Not notified');

function useSetting(place: Scope | undefined, id: number) {
  const update = useOperationMutation('updateNotificationChannel');
  const put = useOperationMutation('setChannelOverride');
  const drop = useOperationMutation('deleteChannelOverride');
  const all = [update, put, drop];
  const set = (value: string) => {
    resetAll(all);
    const isTold = value === 'told';
    if (place === undefined) return update.mutate({ params: { id }, body: { is_estate_default: isTold } });
    const params = { scope: place.scope, scopeId: place.scope_id, channelId: id };
    if (value === '') drop.mutate({ params });
    else put.mutate({ params, body: { enabled: isTold } });
  };
  return { set, ...stateOf(all) };
}

function Choice({ route, place }: { route: RoutedChannel; place: Scope | undefined }) {
  const { set, error, isPending } = useSetting(place, route.id);
  const { inherited } = route;
  const choices = [
    { value: 'told', label: toldWords(true) },
    { value: 'not', label: toldWords(false) },
  ];
  const asAbove = { value: '', label: `As ${inherited.title}: ${toldWords(inherited.isTold).toLowerCase()}` };
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={`${route.name}: ${place ? scopeWords(place) : ESTATE_WORDS}`}
        data={place ? [asAbove, ...choices] : choices}
        disabled={isPending}
        {...typed(route.set === undefined ? '' : route.set ? 'told' : 'not', set)}
      />
      <FormError error={error} />
    </>
  );
}

function columnsOf(place: Scope | undefined, mayManage: boolean): Column<RoutedChannel>[] {
  return [
    {
      key: 'channel',
      title: 'Channel',
      width: 'half',
      render: ({ name, inForce }) => (
        <div className={classes.named}>
          <span className={classes.name}>
            <Name>{name}</Name>
          </span>
          <div className={`${classes.remark} ${layout.narrow}`}>
            {toldWords(inForce.isTold)}, by {inForce.title}
          </div>
        </div>
      ),
    },
    {
      key: 'told',
      title: 'Alerts',
      needs: 'medium',
      render: ({ inForce: { isTold } }) => (
        <Status mark={isTold ? 'ok' : 'skipped'} label={toldWords(isTold)} />
      ),
    },
    { key: 'by', title: 'Set by', needs: 'medium', render: ({ inForce }) => inForce.title },
    ...(mayManage
      ? [
          {
            key: 'choice',
            title: 'Set here',
            render: (route: RoutedChannel) => <Choice route={route} place={place} />,
          },
        ]
      : []),
  ];
}

export function Routing({ mayManage }: { mayManage: boolean }) {
  const [target, setTarget] = useTarget();
  const routes = useRoutes(target);
  const { place } = routes;
  return (
    <>
      {mayManage ? null : (
        <Notice tone="info">
          Changing it needs the permission <code>{MANAGE}</code>.
        </Notice>
      )}
      <ScopeField target={target} onTarget={setTarget} />
      <Panel
        title={`Notified for ${place ? scopeWords(place) : 'every server'}`}
        note="a server before its cluster, its cluster before its group, its group before the estate"
        flush
      >
        <Query query={routes} what="the routing" lines={4} padded>
          {(data) =>
            data.length === 0 ? (
              <p className={layout.none}>No channel is switched on.</p>
            ) : (
              <DataTable
                caption="Channels and what they notify for"
                columns={columnsOf(place, mayManage)}
                rows={data}
                rowKey={({ id }) => String(id)}
              />
            )
          }
        </Query>
      </Panel>
    </>
  );
}
