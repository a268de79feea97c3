package image

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	disruption "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

// manifest is packaging/kubernetes/portico.yaml, read with the types of Kubernetes.
type manifest struct {
	settings   core.ConfigMap
	deployment apps.Deployment
	service    core.Service
	budget     disruption.PodDisruptionBudget
}

func decode(t *testing.T, text []byte) (m manifest, err error) {
	t.Helper()
	for part := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal(part, &kind); err != nil {
			return m, err
		}
		target, known := map[string]any{
			"v1 ConfigMap": &m.settings, "apps/v1 Deployment": &m.deployment,
			"v1 Service": &m.service, "policy/v1 PodDisruptionBudget": &m.budget,
		}[kind.APIVersion+" "+kind.Kind]
		if !known {
			t.Fatalf("teach this test %s", kind.Kind)
		}
		if err := yaml.UnmarshalStrict(part, target); err != nil {
			return m, err
		}
	}
	return m, nil
}

func TestKubernetes_Manifest(t *testing.T) {
	text := read(t, "packaging/kubernetes/portico.yaml")
	m, err := decode(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decode(t, bytes.Replace(text, []byte("readinessProbe"), []byte("readyProbe"), 1)); err == nil {
		t.Error("a field that Kubernetes does not know is not found")
	}
	pod := m.deployment.Spec.Template
	for name, selector := range map[string]*meta.LabelSelector{
		"Deployment": m.deployment.Spec.Selector, "PodDisruptionBudget": m.budget.Spec.Selector, "Service": {MatchLabels: m.service.Spec.Selector},
	} {
		if s, err := meta.LabelSelectorAsSelector(selector); err != nil || s.Empty() || !s.Matches(labels.Set(pod.Labels)) {
			t.Errorf("the %s does not select the pods (%v)", name, err)
		}
	}
	portico := pod.Spec.Containers[0]
	ports := map[string]bool{}
	for _, p := range portico.Ports {
		ports[p.Name] = true
	}
	if !ports[m.service.Spec.Ports[0].TargetPort.StrVal] {
		t.Error("the Service leads to no port")
	}
	for name, probe := range map[string]*core.Probe{"startup": portico.StartupProbe, "liveness": portico.LivenessProbe, "readiness": portico.ReadinessProbe} {
		if probe == nil || !ports[probe.HTTPGet.Port.StrVal] || probe.HTTPGet.Port.StrVal != "ops" {
			t.Errorf("the %s probe does not ask the operations listener", name)
		}
	}
	if portico.SecurityContext.ReadOnlyRootFilesystem == nil || !*portico.SecurityContext.ReadOnlyRootFilesystem || portico.Resources.Limits.Memory().IsZero() {
		t.Error("the root can be written, or the memory has no limit")
	}
	if user := *pod.Spec.SecurityContext.RunAsUser; !strings.HasPrefix(config(t).User, "65532:") || user != 65532 {
		t.Errorf("the pod runs as %d, the image as %s", user, config(t).User)
	}
}

// The pods run in a namespace with the level "restricted".
func TestKubernetes_Restricted(t *testing.T) {
	m, err := decode(t, read(t, "packaging/kubernetes/portico.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pod := m.deployment.Spec.Template
	forbidden := func() []string {
		var found []string
		for _, r := range evaluator.EvaluatePod(api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec) {
			if !r.Allowed {
				found = append(found, r.ForbiddenReason+": "+r.ForbiddenDetail)
			}
		}
		return found
	}
	for _, f := range forbidden() {
		t.Error(f)
	}
	pod.Spec.SecurityContext.RunAsNonRoot = nil
	if len(forbidden()) == 0 {
		t.Error("a pod that may run as root is not found")
	}
}

// The settings are complete, with the files of the Secret where they are mounted.
func TestKubernetes_Settings(t *testing.T) {
	m, err := decode(t, read(t, "packaging/kubernetes/portico.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	mounted := m.deployment.Spec.Template.Spec.Containers[0].VolumeMounts[0].MountPath
	files := t.TempDir()
	for name, value := range map[string]string{
		"database_url": "postgres://portico:x@db.example.com/portico?sslmode=verify-full", "smtp_url": "smtp://user:x@mail.example.com:587",
	} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range m.settings.Data {
		m.settings.Data[name] = strings.Replace(value, mounted, files, 1)
	}
	checkSettings(t, "portico.yaml", m.settings.Data)
}
