// The frame around every page: navigation at the left (a drawer on narrow screens), breadcrumb and sign of life on
// top, then whatever is worth knowing on every page, then the page itself.
import { ActionIcon } from '@mantine/core';
import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import type { UserInfo } from '../api/types.ts';
import { useAlertTotal } from '../features/alerting/alert-counts/use-alert-counts.ts';
import { readPreference, writePreference } from '../lib/preferences.ts';
import { ExpandIcon, MenuIcon, NoPermissionIcon } from '../ui/icons.ts';
import { Logo } from '../ui/logo.tsx';
import { Notice } from '../ui/notice.tsx';
import { Loading } from '../ui/states.tsx';
import { TimeSlot } from '../ui/time-slot.ts';
import { TitleCount } from '../ui/title-count.ts';
import { AccountMenu } from './account-menu.tsx';
import { Breadcrumb } from './breadcrumb.tsx';
import { ChatButton, ChatPlace } from './chat-place.tsx';
import { LiveSign } from './live-sign.tsx';
import { Navigation } from './navigation.tsx';
import { OutageNotice } from './outage-notice.tsx';
import { PaletteOpener } from './palette-opener.tsx';
import classes from './shell.module.css';

const NavDrawer = lazy(async () => ({ default: (await import('./nav-drawer.tsx')).NavDrawer }));

function Brand() {
  return (
    <Link to="/" className={classes.brand} aria-label="Matriarch, to the estate">
      <Logo size={26} />
      <span className={classes.name}>Matriarch</span>
    </Link>
  );
}

function PasswordNotice() {
  const { pathname } = useLocation();
  if (pathname === '/account') return null;
  return (
    <Notice
      tone="info"
      icon={<NoPermissionIcon size={16} />}
      action={
        <Link className="link" to="/account">
          Set a password
        </Link>
      }
    >
      Your account has no password yet; without one you cannot sign in again after this session.
    </Notice>
  );
}

/**
 * A page change closes the drawer and brings reader and cursor to the top of the new page. A dialog that was opened while
 * the page was on its way, such as the palette, keeps the cursor.
 */
function useDrawer(): [boolean, (open: boolean) => void] {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const before = useRef(pathname);
  // Before the new page is painted: whoever sees it and presses a key has the cursor there already.
  useLayoutEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    setOpen(false);
    window.scrollTo(0, 0);
    if (!open && document.activeElement?.closest('[role="dialog"]')) return;
    document.getElementById('page')?.focus({ preventScroll: true });
  }, [pathname, open]);
  return [open, setOpen];
}

export const Shell = ({ user }: { user: UserInfo }) => (
  <ChatPlace>
    <Frame user={user} />
  </ChatPlace>
);

function Frame({ user }: { user: UserInfo }) {
  const [drawer, setDrawer] = useDrawer();
  /** Stays once it was there, so that it can fade. */
  const [isDrawerNeeded, setDrawerNeeded] = useState(false);
  if (drawer && !isDrawerNeeded) setDrawerNeeded(true);
  const alerts = useAlertTotal();
  const [timeSlot, setTimeSlot] = useState<HTMLElement | null>(null);
  const [folded, setFolded] = useState(() => readPreference('nav') === 'folded');
  const fold = (value: boolean) => {
    setFolded(value);
    writePreference('nav', value ? 'folded' : 'open');
  };
  return (
    <div className={classes.shell} data-folded={folded || undefined}>
      <a className={classes.skip} href="#page">
        Skip to the page
      </a>
      <aside className={classes.side} aria-label="Navigation" hidden={folded}>
        <Navigation brand={<Brand />} onFold={() => fold(true)} />
      </aside>
      {isDrawerNeeded ? (
        <Suspense fallback={null}>
          <NavDrawer opened={drawer} onClose={() => setDrawer(false)} brand={<Brand />} />
        </Suspense>
      ) : null}
      <div className={classes.column}>
        <header className={classes.top}>
          <span className={classes.burger}>
            <ActionIcon
              variant="subtle"
              size={36}
              aria-label="Open the navigation"
              onClick={() => setDrawer(true)}
            >
              <MenuIcon size={20} />
            </ActionIcon>
          </span>
          {folded ? (
            <span className={classes.unfold}>
              <ActionIcon variant="subtle" aria-label="Show the navigation" onClick={() => fold(false)}>
                <ExpandIcon size={18} />
              </ActionIcon>
            </span>
          ) : null}
          <Breadcrumb />
          <div ref={setTimeSlot} className={classes.time} />
          <PaletteOpener />
          <ChatButton />
          <LiveSign />
          <AccountMenu user={user} />
        </header>
        {/* A page that asks before it is left is not asked behind the drawer. */}
        <main id="page" className={classes.page} tabIndex={-1} onFocus={() => setDrawer(false)}>
          <div className={classes.notices}>
            <OutageNotice />
            {user.has_password === false && user.by_provider !== true ? <PasswordNotice /> : null}
          </div>
          <Suspense fallback={<Loading what="the page" />}>
            <TitleCount value={alerts}>
              <TimeSlot value={timeSlot}>
                <Outlet />
              </TimeSlot>
            </TitleCount>
          </Suspense>
        </main>
      </div>
    </div>
  );
}
