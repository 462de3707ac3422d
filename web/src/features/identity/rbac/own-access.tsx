// What the reader may do, for the account page.
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { useUser } from '../auth/use-user.ts';
import { AccessView } from './access-view.tsx';
import classes from './rbac.module.css';
import { useAccess } from './use-access.ts';

function groupsText(groups: readonly string[]): string {
  return groups.length === 0 ? 'You are in no group.' : `Through the groups ${groups.join(', ')}.`;
}

function Rights({ userId }: { userId: number }) {
  const { access, privileges, error, retry } = useAccess({ user_id: userId });
  if (!access || !privileges)
    return (
      <Panel title="Your rights">
        <Query query={{ data: undefined, error, refetch: retry }} what="your rights" />
      </Panel>
    );
  return (
    <>
      <p className={classes.remark}>
        <Name>{groupsText(privileges.groups)}</Name>
      </p>
      <AccessView access={access} heldOnly />
    </>
  );
}

export function OwnAccess() {
  const id = useUser().data?.user_id;
  if (id === undefined) return null;
  return (
    <section className={classes.own} aria-labelledby="own-access">
      <h2 id="own-access" className={classes.ownTitle}>
        What you may do
      </h2>
      <Rights userId={id} />
    </section>
  );
}
