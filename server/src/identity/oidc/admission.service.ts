// Lets a person in whom a provider or a proxy has proven: finds or makes the user, gives the rights that it says, opens a session.
// Guards: a user is known by (issuer, subject) alone, never by a name, so no local account can be taken over; who is disabled stays
// out. Inside a transaction.
import { commandLine } from '../../kernel/command-line.ts';
import { Fault } from '../../kernel/errors.ts';
import { iso } from '../../kernel/times.ts';
import type { Ctx, PublicCtx } from '../access/principal.ts';
import { lockRights } from '../access/rights.queries.ts';
import { systemPrincipal } from '../audit/audit.service.ts';
import type { Account } from '../auth/accounts.service.ts';
import type { Auth } from '../auth/auth.service.ts';
import { rememberAddress } from '../auth/login-attempts.service.ts';
import { type OpenedSession, openSession, type SignInWith } from '../auth/sessions.service.ts';
import { createUser } from '../auth/users.service.ts';
import type { ClaimedRights, NewPerson } from './claims.ts';
import * as queries from './oidc.queries.ts';
import { syncRights } from './rights-sync.service.ts';

/** A person who was proven, and what is said of them. */
export interface Coming {
  by: SignInWith;
  /** What the account is called that they came with. */
  label: string;
  identity: queries.Identity;
  /** Who the user would be; a sentence where that cannot be. */
  person: () => NewPerson | string;
  create_users: boolean;
  rights: ClaimedRights;
}

export interface Door {
  passwords: Auth['passwords'];
  /** Of the client. */
  address: string;
}

/** Rights to do what the settings say, in the name of the server. */
const byServer = (ctx: PublicCtx): Ctx => ({
  db: ctx.db,
  clock: ctx.clock,
  log: ctx.log,
  signal: ctx.signal,
  origin: ctx.origin,
  principal: systemPrincipal('server'),
});

/** Of the command line; what was sent is no command. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The command that makes an identity a user's. */
export const bindingOf = (username: string, { issuer, subject }: queries.Identity) =>
  commandLine(`user identity ${username} --issuer ${quoted(issuer)} --subject ${quoted(subject)}`);

function unknownPerson({ label, identity }: Coming): Fault {
  return new Fault(
    'unauthenticated',
    `No user here belongs to your account at ${label}. Ask an administrator to run: ${bindingOf('<user name>', identity)}`,
  );
}

/** Makes the user of a person who comes for the first time, where the settings say so. */
async function createPerson(ctx: Ctx, passwords: Auth['passwords'], coming: Coming): Promise<Account> {
  const { identity, label } = coming;
  if (!coming.create_users) throw unknownPerson(coming);
  const person = coming.person();
  if (typeof person === 'string') throw new Fault('unauthenticated', person);
  const fresh = { ...person, password: undefined, is_superuser: false, is_service_account: false };
  const user = await createUser(ctx, passwords, fresh).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'conflict')
      throw new Fault(
        'unauthenticated',
        `There is a user ${person.username} here already, who does not belong to your account at ${label}. Ask an administrator to run: ${bindingOf(person.username, identity)}`,
      );
    throw error;
  });
  await ctx.db.run(queries.insertIdentity(identity, user.id, iso(ctx.clock.now())));
  return user;
}

/** The user of a proven identity, with the rights that it has now. */
async function admit(ctx: PublicCtx, passwords: Auth['passwords'], coming: Coming): Promise<Account> {
  const acting = byServer(ctx);
  // Rights are locked before users, as wherever both are; this also lets two first sign-ins of one person make one user.
  await lockRights(ctx.db);
  const known = await ctx.db.maybe<Account>(queries.lockIdentityUser(coming.identity));
  const user = known ?? (await createPerson(acting, passwords, coming));
  const about = { kind: 'user', id: user.id, name: user.username };
  if (user.is_service_account)
    throw new Fault('unauthenticated', 'This account here is one for programs, which cannot sign in.', {
      about,
    });
  if (!user.enabled)
    throw new Fault('unauthenticated', 'Your account here is disabled. Ask an administrator to enable it.', {
      about,
    });
  await syncRights(acting, user, coming.rights);
  await ctx.db.run(queries.noteSignIn(coming.identity, iso(ctx.clock.now())));
  return user;
}

/** Opens a session, which the caller binds to what opened it; 401 says why not. */
export async function openAdmitted(
  ctx: PublicCtx,
  { passwords, address }: Door,
  coming: Coming,
): Promise<OpenedSession> {
  const user = await admit(ctx, passwords, coming);
  await rememberAddress(ctx, user.id, address);
  const session = await openSession(ctx, user, coming.by);
  ctx.log.info({ event: 'auth.signed_in', user_id: user.id, address, with: coming.by });
  return session;
}
