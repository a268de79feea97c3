package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/flow"
)

type userCmd struct {
	Create        userCreateCmd        `cmd:"" help:"Create an account."`
	Import        userImportCmd        `cmd:"" help:"Import accounts from another system, or from a file in the format of Portico."`
	Welcome       userWelcomeCmd       `cmd:"" help:"Email imported people without a password a link to choose one."`
	Invite        userInviteCmd        `cmd:"" help:"Email people an invitation to make an account."`
	Approve       userApproveCmd       `cmd:"" help:"Approve an account that waits for it, and notify the user."`
	Refuse        userRefuseCmd        `cmd:"" help:"Delete an account that waits for an approval, and notify the user."`
	List          userListCmd          `cmd:"" help:"List accounts, also those that match conditions."`
	Show          userShowCmd          `cmd:"" help:"Show an account."`
	Disable       userDisableCmd       `cmd:"" help:"Disable an account and end its sessions."`
	Enable        userEnableCmd        `cmd:"" help:"Enable a disabled account."`
	SetEnd        userSetEndCmd        `cmd:"" help:"Set when an account closes by itself, and notify the user."`
	SetPassword   userSetPasswordCmd   `cmd:"" help:"Set a password from standard input. Ends all sessions and notifies the user."`
	SetRoles      userSetRolesCmd      `cmd:"" help:"Replace the roles of an account. Without roles, removes all of them."`
	AddRole       userAddRoleCmd       `cmd:"" help:"Give an account more roles."`
	RemoveRole    userRemoveRoleCmd    `cmd:"" help:"Take roles away from an account."`
	SetEmail      userSetEmailCmd      `cmd:"" help:"Change the address of an account. Ends all sessions and notifies both addresses."`
	SetClaims     userSetClaimsCmd     `cmd:"" help:"Change what apps get about an account, and notify the user."`
	SetName       userSetNameCmd       `cmd:"" help:"Change the name of an account, and notify the user."`
	RemovePicture userRemovePictureCmd `cmd:"" help:"Remove the picture of an account, and notify the user."`
	Unlink        userUnlinkCmd        `cmd:"" help:"Remove an external provider from an account. Ends all sessions and notifies the user."`
	Factors       userFactorsCmd       `cmd:"" help:"List the second factors of an account."`
	Passkeys      userPasskeysCmd      `cmd:"" help:"List the passkeys of an account."`
	Trust         userTrustCmd         `cmd:"" help:"List or end the browsers that an account trusts."`
	ResetFactors  userResetFactorsCmd  `cmd:"" help:"Remove all second factors and passkeys of an account. Ends all sessions and notifies the user."`
	Link          userLinkCmd          `cmd:"" help:"Print a link with which a user creates a passkey or chooses a password."`
	Unlock        userUnlockCmd        `cmd:"" help:"Lift the rate limits of an address, for passwords, codes and email."`
	Delete        userDeleteCmd        `cmd:"" help:"Delete an account permanently."`
}

// timeForm is the format of times, in UTC (RFC 3339).
const timeForm = "2006-01-02T15:04:05Z"

// person is an account in the output.
type person struct {
	ID        string   `json:"id"`
	Email     string   `json:"email"`
	Name      string   `json:"name"`
	State     string   `json:"state"`
	Roles     []string `json:"roles"`
	Password  bool     `json:"has_password"`
	CreatedAt string   `json:"created_at"`
	EndsAt    string   `json:"ends_at"`           // when it closes by itself, "" for never
	Terms     string   `json:"terms_version"`     // accepted last, "" for none
	TermsAt   string   `json:"terms_accepted_at"` // "" for none

	Claims    json.RawMessage `json:"claims,omitempty"`
	Addresses []otherAddress  `json:"addresses,omitempty"` // other than the primary one, where the command reads them
}

type otherAddress struct {
	Email string `json:"email"`
	Use   string `json:"use"`
	Until string `json:"until,omitempty"` // if it is only kept
}

func addressesOf(list []account.Other) (all []otherAddress) {
	for _, o := range list {
		shown := otherAddress{Email: o.Address.Mail, Use: string(o.Use)}
		if !o.Own() {
			shown.Until = o.Until.Format(timeForm)
		}
		all = append(all, shown)
	}
	return all
}

func (o otherAddress) String() string {
	return strings.TrimSpace(strings.Join([]string{o.Email, o.Use, o.Until}, " "))
}

func personOf(a account.Account) person {
	p := person{
		ID: a.ID, Email: a.Address.Mail, Name: a.Name, State: string(a.State), Roles: append([]string{}, a.Roles...),
		Password: a.Password != "", CreatedAt: a.CreatedAt.Format(timeForm), Claims: json.RawMessage(a.Claims), Terms: a.Terms.Version,
	}
	if !a.EndsAt.IsZero() {
		p.EndsAt = a.EndsAt.Format(timeForm)
	}
	if p.Terms != "" {
		p.TermsAt = a.Terms.AcceptedAt.Format(timeForm)
	}
	return p
}

func (p person) String() string {
	line := fmt.Sprintf("%s\t%s\t%s\t%s", p.Email, p.State, p.CreatedAt, p.Name)
	if len(p.Roles) > 0 {
		line += "\t" + strings.Join(p.Roles, ",")
	}
	return line
}

type userCreateCmd struct {
	Email    string   `arg:"" help:"The user's email address. It counts as verified."`
	Name     string   `help:"The user's name."`
	Admin    bool     `help:"Give the role portico:admin, which opens the admin page."`
	Role     []string `help:"A role, as access rules name it. Can be repeated." placeholder:"NAME" sep:"none"`
	Password bool     `help:"Read a password from standard input. Otherwise the user sets one through \"Forgot your password?\"."`
	JSON     bool     `name:"json" help:"Print the account as JSON."`
}

func (userCreateCmd) Help() string {
	return "Example:\n  portico user create mara@example.com --name \"Mara Lind\" --password"
}

func (c userCreateCmd) Run(s *session) error {
	password := ""
	if c.Password {
		var err error
		if password, err = s.readPassword(); err != nil {
			return err
		}
		if password == "" { // an account without a password would surprise the operator
			return flow.NoPassword
		}
	}
	if c.Admin {
		c.Role = append(c.Role, flow.RoleAdmin)
	}
	return s.withApp(func(a *app.App) error {
		created, err := a.Operator.CreateUser(s, flow.ByOperator, c.Email, c.Name, password, c.Role...)
		if err != nil {
			return err
		}
		return s.print(c.JSON, personOf(created), personOf(created).String())
	})
}

type userDisableCmd struct {
	Email string `arg:"" help:"The email address of the account."`
}

func (userDisableCmd) Help() string { return "Example:\n  portico user disable mara@example.com" }

func (c userDisableCmd) Run(s *session) error { return s.setState(c.Email, account.DisabledByOperator) }

type userEnableCmd struct {
	Email string `arg:"" help:"The email address of the account."`
}

func (userEnableCmd) Help() string { return "Example:\n  portico user enable mara@example.com" }

func (c userEnableCmd) Run(s *session) error { return s.setState(c.Email, account.Active) }

func (s *session) setState(email string, state account.State) error {
	return s.withUser(email, func(a *app.App, u account.Account) error {
		return a.Operator.SetUserState(s, flow.ByOperator, u.ID, state)
	})
}

type userSetPasswordCmd struct {
	Email string `arg:"" help:"The email address of the account."`
}

func (userSetPasswordCmd) Help() string {
	return "Example:\n  portico user set-password mara@example.com < password.txt"
}

func (c userSetPasswordCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		password, err := s.readPassword()
		if err != nil {
			return err
		}
		return a.Operator.SetUserPassword(s, flow.ByOperator, u, password)
	})
}

type userUnlockCmd struct {
	Email string `arg:"" help:"The email address. It needs no account."`
}

func (userUnlockCmd) Help() string {
	return "Example:\n  portico user unlock mara@example.com\n\nLimits of a single browser or network are not stored by address. They expire on their own."
}

// Run lifts the limits of passwords, codes and emails of an address.
func (c userUnlockCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error { return a.Operator.Unlock(s, flow.ByOperator, c.Email) })
}

type userDeleteCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	Yes   bool   `help:"Confirm. This cannot be undone."`
}

func (userDeleteCmd) Help() string { return "Example:\n  portico user delete mara@example.com --yes" }

func (c userDeleteCmd) Run(s *session) error {
	if !c.Yes {
		return fmt.Errorf("%w: this deletes the account permanently: add --yes to confirm, or use 'portico user disable'", errUsage)
	}
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.DeleteUser(s, flow.ByOperator, u.ID)
	})
}

// withUser runs fn with the account of an email address. It warns if no admin is left after it.
func (s *session) withUser(email string, fn func(*app.App, account.Account) error) error {
	return s.withApp(func(a *app.App) error {
		u, err := a.Operator.User(s, email)
		if err != nil {
			return err
		}
		if !slices.Contains(u.Roles, flow.RoleAdmin) {
			return fn(a, u)
		}
		before, err := a.Operator.HasAdmin(s)
		if err == nil {
			err = fn(a, u)
		}
		if err != nil {
			return err
		}
		after, err := a.Operator.HasAdmin(s)
		if before && !after {
			complain(s.Stderr, "portico: nobody can open the admin page anymore: 'portico user add-role ADDRESS "+flow.RoleAdmin+"' makes an admin of a user with a second factor or a passkey")
		}
		return err
	})
}
