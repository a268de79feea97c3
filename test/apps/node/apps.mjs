// Two apps of others: PASSPORT and EXPRESS are their origins, ISSUER is Portico. Both have the same secret.
import express from 'express';
import { auth } from 'express-openid-connect';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';

const { ISSUER, PASSPORT, EXPRESS, SECRET } = process.env;
const listen = (app, origin) => app.listen(new URL(origin).port, '127.0.0.1');

{
  const found = await (await fetch(`${ISSUER}/.well-known/openid-configuration`)).json();
  const app = express();
  app.use(session({ secret: SECRET, resave: false, saveUninitialized: false, name: 'passport' }));
  app.use(passport.initialize());
  app.use(passport.session());
  const strategy = new OpenIDConnectStrategy(
    {
      issuer: found.issuer,
      authorizationURL: found.authorization_endpoint,
      tokenURL: found.token_endpoint,
      userInfoURL: found.userinfo_endpoint,
      clientID: 'passport',
      clientSecret: SECRET,
      callbackURL: `${PASSPORT}/callback`,
      scope: ['email', 'profile', 'offline_access'],
      skipUserProfile: false,
    },
    (_issuer, profile, _context, id, access, refresh, done) => done(null, { ...profile, tokens: { id, access, refresh } }),
  );
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user, done) => done(null, user));
  app.get('/login', passport.authenticate('openidconnect'));
  app.get('/callback', passport.authenticate('openidconnect'), (_request, response) => response.redirect('/'));
  app.get('/', (request, response, next) => {
    if (!request.user) return response.send('signed out of the app');
    const { id, displayName, emails, tokens } = request.user;
    // The OAuth 2.0 client of the strategy, as passport-oauth2-refresh uses it.
    strategy._oauth2.getOAuthAccessToken(tokens.refresh, { grant_type: 'refresh_token' }, (failed, access) => {
      if (failed) return next(new Error(JSON.stringify(failed)));
      response.json({ Subject: id, Name: displayName, Email: emails[0].value, Access: access, Same: access === tokens.access });
    });
  });
  app.get('/logout', (request, response, next) => {
    const query = new URLSearchParams({ id_token_hint: request.user.tokens.id, post_logout_redirect_uri: `${PASSPORT}/` });
    request.logout((failed) => (failed ? next(failed) : response.redirect(`${found.end_session_endpoint}?${query}`)));
  });
  listen(app, PASSPORT);
}
{
  const app = express();
  app.use(
    auth({
      issuerBaseURL: ISSUER,
      baseURL: EXPRESS,
      clientID: 'express',
      clientSecret: SECRET,
      secret: SECRET,
      authorizationParams: { response_type: 'code', scope: 'openid email profile offline_access' },
      authRequired: false,
      idpLogout: true,
    }),
  );
  app.get('/', async (request, response) => {
    if (!request.oidc.isAuthenticated()) return response.send('signed out of the app');
    const first = request.oidc.accessToken.access_token;
    const next = await request.oidc.accessToken.refresh();
    const user = await request.oidc.fetchUserInfo();
    response.json({
      Subject: user.sub,
      Name: user.name,
      Email: user.email,
      Access: next.access_token,
      Same: next.access_token === first,
    });
  });
  listen(app, EXPRESS);
}
