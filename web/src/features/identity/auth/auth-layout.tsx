// The frame of the pages before somebody is signed in: the mark, one question, nothing else.
import type { ReactNode } from 'react';
import { Logo } from '../../../ui/logo.tsx';
import classes from './auth-layout.module.css';

export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={classes.page}>
      <title>{`${title} · Matriarch`}</title>
      <div className={classes.sheet}>
        <div className={classes.brand}>
          <Logo size={44} />
          <span className={classes.name}>Matriarch</span>
        </div>
        <h1 className={classes.title}>{title}</h1>
        {children}
      </div>
      <p className={classes.foot}>Watches a herd of PostgreSQL servers, and remembers.</p>
    </main>
  );
}
